"""Step 8, verbalize: one numbered clue per stop, checked for leaks."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from pytest_aar.leaks import LeakKind, leaks_in
from pytest_aar.leg import Value

from .draft import Bench, Draft, Rejected
from .grammar import Grammar

#: Reject reasons: what leaked, by kind.
_KINDS: Mapping[LeakKind, str] = MappingProxyType(
    {
        "title": "a page title",
        "value": "a golden value",
        "tool": "the name of a tool",
        "arithmetic": "arithmetic with literals",
    }
)


def verbalize(draft: Draft, bench: Bench) -> Draft:
    """The draft with its clue text.

    Raises:
        Rejected: the text holds a title, a golden value, the name of a tool or arithmetic.
    """
    numbers = {stop.key: number for number, stop in enumerate(draft.stops, start=1)}
    grammar = Grammar(numbers, bench.chance)
    clues, page_before = [], None
    for stop in draft.stops:
        if stop.kind == "page":
            text, page_before = grammar.page(stop, page_before), stop.key
        elif stop.kind == "finish":
            text = grammar.finish(stop)
        else:
            text = grammar.task(stop)
        clues.append(f"{numbers[stop.key]}. {text}")
    text = "\n\n".join(clues)
    leak = next(leaks_in(text, [step.title for step in draft.plan.route], _values(draft)), None)
    if leak:
        raise Rejected("verbalize", f"the clues hold {_KINDS[leak.kind]}")
    return replace(draft, clues=text)


def _values(draft: Draft) -> list[Value]:
    return [stop.value for stop in draft.stops if stop.kind != "finish"]
