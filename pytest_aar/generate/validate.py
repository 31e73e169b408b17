"""Step 4, validate: facts found again on a fresh page, chains run again, every value as it was."""

from pytest_aar.golden import pages
from pytest_aar.golden.chains import run_chain
from pytest_aar.golden.records import same

from .draft import Bench, Draft, DraftStop, Rejected


async def validate(draft: Draft, bench: Bench) -> Draft:
    """The draft, unchanged, once every stop has been checked.

    Raises:
        Rejected: a fact is not found by its label or value, or a chain gives something else.
    """
    for stop in draft.stops:
        if stop.kind == "page":
            await _check_page(stop, draft, bench)
        elif stop.chain and not same(stop.value, await run_chain(stop.chain, bench.call_tool)):
            raise Rejected("validate", "a chain gives another value the second time")
    return draft


async def _check_page(stop: DraftStop, draft: Draft, bench: Bench) -> None:
    url = draft.graph.pages[stop.place].url
    page = await bench.call_tool("fetch_webpage", {"url": url})
    if not page.ok:
        raise Rejected("validate", "a page can't be fetched")
    seen = pages.labelled(page.text, stop.target, stop.value_type)
    if seen is None and not pages.holds(page.text, stop.value, stop.value_type):
        raise Rejected("validate", "a fact is not on its page")
    if seen is not None and not same(seen, stop.value):
        raise Rejected("validate", "a label gives another value")
