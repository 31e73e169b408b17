"""Step 7, execute: the golden executor walks the finished leg three times; all must agree."""

from collections.abc import Callable
from functools import partial

from pytest_aar.golden import walk
from pytest_aar.golden.perturb import OtherText, sway
from pytest_aar.leg import Leg, PitStop
from pytest_aar.leg.ancestry import ancestry, used_operands

from .draft import Bench, Draft, Rejected
from .flow import enough
from .uses import named_page

WALKS = 3
#: Share of the stops in the digit's ancestry that must change the digit when they are changed.
SWAY = 0.8


async def execute(draft: Draft, assemble: Callable[[Draft], Leg], bench: Bench) -> Draft:
    """The draft, unchanged, once the walks are clean and the digit is known to hang on the route.

    Raises:
        Rejected: a stop gives another value, named by its kind; an operand is not used; too few stops
            flow into the digit, or too few of these change it.
    """
    leg = assemble(draft)
    if set(used_operands(leg)) != set(leg.finish.operands):
        raise Rejected("execute", "an operand is not used")
    if not enough(len(ancestry(leg)), len(leg.stops)):
        raise Rejected("execute", "too little of the route flows into the digit")
    if (await sway(leg, bench.read, _other_text(draft, bench))).share < SWAY:
        raise Rejected("execute", "too few stops change the digit")
    for _ in range(WALKS):  # last, since they take longest
        outcome = await walk(leg, bench.call_tool)
        if not outcome.clean:
            fault = outcome.mismatches[0]
            raise Rejected("execute", f"{fault.kind} does not agree")
    return draft


def _other_text(draft: Draft, bench: Bench) -> OtherText:
    """Another page of the graph that is of the kind of what a stop names, None without one."""
    peek = partial(bench.page, draft.graph)

    async def other(stop: PitStop) -> str | None:
        page, fact = next(
            (draft.graph.pages[step.title], step.fact)
            for step in draft.plan.route
            if draft.graph.pages[step.title].url == stop.page_url
        )
        named = named_page(page, fact, peek)
        kind = named.kind if named else page.kind
        names = [each.title for each in draft.graph.pages.values() if each.kind == kind]
        others = [name for name in names if name not in (stop.value, page.title)]
        return bench.chance.choice(others) if others else None

    return other
