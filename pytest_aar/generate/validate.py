"""Step 4, validate: facts found again on a fresh page, chains run again, places and days unambiguous."""

import json
from functools import partial

from pytest_aar.golden import pages
from pytest_aar.golden.chains import run_chain
from pytest_aar.golden.records import same
from pytest_aar.golden.walk import PYTHON_TOOL
from pytest_aar.readings import point_of, points_agree

from .draft import Bench, Draft, DraftStop, PageNode, Ref, Rejected
from .uses import PLACE_KINDS, named_page


async def validate(draft: Draft, bench: Bench, *, known: Draft | None = None) -> Draft:
    """The draft, unchanged, once every stop has been checked; those of `known` have been.

    Raises:
        Rejected: a fact is not found by its label or value, a chain gives something else, a name
            leads to another place, or a day has no trading.
    """
    checked = {stop.key for stop in known.stops} if known else set()
    for stop in draft.stops:
        if stop.key in checked:
            continue
        if stop.kind == "page":
            await _check_page(stop, draft, bench)
        elif stop.chain and stop.chain[0].tool != PYTHON_TOOL:  # code runs when the leg is walked
            await _check_chain(stop, bench)
            await _check_places(stop, draft, bench)
    return draft


async def _check_page(stop: DraftStop, draft: Draft, bench: Bench) -> None:
    url = draft.graph.pages[stop.place].url
    page = await bench.read("fetch_webpage", {"url": url})
    if not page.ok:
        raise Rejected("validate", "a page can't be fetched")
    seen = pages.labelled(page.text, stop.target, stop.value_type)
    if seen is None and not pages.holds(page.text, stop.value, stop.value_type):
        raise Rejected("validate", "a fact is not on its page")
    if seen is not None and not same(seen, stop.value):
        raise Rejected("validate", "a label gives another value")


async def _check_chain(stop: DraftStop, bench: Bench) -> None:
    if not same(stop.value, await run_chain(stop.chain, bench.call_tool)):
        raise Rejected("validate", "a chain gives another value the second time")
    day = stop.chain[0].arguments.get("date")
    if day is not None:
        reply = await bench.read(stop.chain[0].tool, stop.chain[0].arguments)
        if json.loads(reply.text).get("date", day) != day:
            raise Rejected("validate", "a day without trading")


async def _check_places(stop: DraftStop, draft: Draft, bench: Bench) -> None:
    """Every place that the clue refers to must geocode to the place that its page is about."""
    for ref in stop.question.slots.values():
        if isinstance(ref, Ref) and ref.noun in PLACE_KINDS:
            name, node = _meant(ref, draft, bench)
            reply = await bench.read("maps_geocode", {"address": name})
            found = point_of(json.loads(reply.text)) if reply.ok else None
            near = (
                found
                and node.location
                and points_agree(node.location, found, degrees=bench.degrees)
            )
            if not near:
                raise Rejected("validate", "a name leads to another place")


def _meant(ref: Ref, draft: Draft, bench: Bench) -> tuple[str, PageNode]:
    """The name that a reference stands for, and the page about it."""
    source = draft.stop(ref.key)
    page = draft.graph.pages[source.place]
    if ref.what == "page":
        return page.title, page
    fact = next(step.fact for step in draft.plan.route if step.title == source.place)
    named = named_page(page, fact, partial(bench.page, draft.graph))
    if named is None:
        raise Rejected("validate", "a name without a page")
    return str(source.value), named
