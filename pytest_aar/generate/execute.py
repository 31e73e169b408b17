"""Step 7, execute: the golden executor walks the finished leg three times; all must agree."""

from collections.abc import Callable

from pytest_aar.golden import walk
from pytest_aar.leg import Leg

from .draft import Bench, Draft, Rejected

WALKS = 3


async def execute(draft: Draft, assemble: Callable[[Draft], Leg], bench: Bench) -> Draft:
    """The draft, unchanged, once the walks are clean.

    Raises:
        Rejected: a stop gives another value, named by its kind.
    """
    leg = assemble(draft)
    for _ in range(WALKS):
        outcome = await walk(leg, bench.call_tool)
        if not outcome.clean:
            fault = outcome.mismatches[0]
            raise Rejected("execute", f"{fault.kind} does not agree")
    return draft
