"""Rules of the clue text: what it gives away, and how it is numbered."""

from collections import Counter
from collections.abc import Iterator

from pytest_aar.clue_numbers import CLUE
from pytest_aar.golden.pages import numbers
from pytest_aar.leaks import arithmetic_in, figures_in, names_title, texts_in, tools_in
from pytest_aar.leg import Leg, arithmetic
from pytest_aar.leg.validity import finish_faults
from pytest_aar.readings import number_of
from pytest_aar.score import canonical_title

from .clue_text import bare, clues_of, unnumbered
from .finding import Fault


def answer_in_clues(leg: Leg) -> Iterator[Fault]:
    """The finish line's expression stands in the clues, numbers and all."""
    for reason in finish_faults(leg):
        if reason.name == "answer_in_clues":
            what = f"the clues hold {reason.what!r}, which gives the digit"
            yield Fault(field="clues", what=what)


def operands_in_clues(leg: Leg) -> Iterator[Fault]:
    """Every number of the finish line's expression stands in the clues, the expression does not."""
    try:
        needed = Counter(arithmetic.operand_literals(leg.finish.expression))
    except ValueError:
        return
    held = Counter(numbers(bare(leg.clues)))
    if needed and needed <= held and not any(answer_in_clues(leg)):
        listed = ", ".join(map(str, needed.elements()))
        yield Fault(field="clues", what=f"the clues hold every number of the finish line: {listed}")


def title_in_clues(leg: Leg) -> Iterator[Fault]:
    """A page to be found is called by its title."""
    text = bare(leg.clues)
    for stop in leg.route_infos:
        title = canonical_title(stop.page_url or "")
        if names_title(text, [title]):
            yield Fault(
                stop=stop.index, field="page_url", what=f"the clues hold the page's title {title!r}"
            )


def value_in_clues(leg: Leg) -> Iterator[Fault]:
    """A value to be found stands in the clues."""
    text, stops = bare(leg.clues), leg.stops[:-1]
    figures = {number_of(seen) for seen in figures_in(text, [stop.value for stop in stops])}
    for stop in stops:
        if number_of(stop.value) in figures or texts_in(text, [stop.value]):
            yield Fault(
                stop=stop.index, field="value", what=f"the clues hold the value {stop.value!r}"
            )


def tool_in_clues(leg: Leg) -> Iterator[Fault]:
    """A tool is called by its name."""
    found = tools_in(leg.clues)
    if found:
        yield Fault(field="clues", what=f"the clues hold the name of a tool: {', '.join(found)}")


def arithmetic_in_clues(leg: Leg) -> Iterator[Fault]:
    """The clues hold arithmetic over numbers, or a function of the expression language.

    The finish line's whole expression is the answer itself: another rule.
    """
    found = arithmetic_in(unnumbered(leg.clues))
    if found and not any(answer_in_clues(leg)):
        yield Fault(field="clues", what=f"the clues hold arithmetic: {found[0]!r}")


def clue_count(leg: Leg) -> Iterator[Fault]:
    """There are not as many numbered clues as stops."""
    found, stops = len(clues_of(leg.clues)), len(leg.stops)
    if found != stops:
        yield Fault(field="clues", what=f"{found} numbered clues for {stops} stops")


def clue_start(leg: Leg) -> Iterator[Fault]:
    """Something stands before the first clue."""
    first = CLUE.match(leg.clues)
    if first is None or int(first[1]) != 1:
        begin = leg.clues.split("\n", 1)[0][:60]
        yield Fault(field="clues", what=f"the clues begin with {begin!r}, not with clue 1")


def clue_numbering(leg: Leg) -> Iterator[Fault]:
    """The clues' numbers do not count from 1."""
    found = [number for number, _ in clues_of(leg.clues)]
    wanted = list(range(1, len(found) + 1))
    if found != wanted:
        place = next(n for n, number in zip(wanted, found, strict=True) if n != number)
        yield Fault(
            field="clues", what=f"the clue in place {place} has the number {found[place - 1]}"
        )
