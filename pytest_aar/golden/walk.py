"""The walk itself: stop by stop, every value computed anew from the new values before it."""

from typing import Any

from pytest_aar import transforms
from pytest_aar.leg import (
    Detour,
    FinishLine,
    Leg,
    PitStop,
    Roadblock,
    RouteInfo,
    Value,
    arithmetic,
    kind_of,
)
from pytest_aar.leg.operands import partners_of
from pytest_aar.leg.templates import is_merge
from pytest_aar.readings import number_of, read
from pytest_aar.score import canonical_title

from . import chains, facts, pages
from .links import linked_pages
from .operands import fresh_operands
from .records import CallTool, Mismatch, ToolReply, Walk, same

PYTHON_TOOL = "python_execute_code"


async def walk(leg: Leg, call_tool: CallTool, *, fact: facts.Rule = facts.labelled_fact) -> Walk:
    """Recompute `leg` with the tools and list every stop that gives another value.

    A stop whose value can't be computed keeps its golden value for the stops that build on it, so
    that one fault is listed once. `fact` extracts a route-info stop's value from its page's text; where
    it finds none, it is enough that the golden value stands on the page.
    """
    return await _Walker(leg, call_tool, fact).run()


class _Walker:
    """One walk's state: the values so far, the mismatches, the pages fetched."""

    def __init__(self, leg: Leg, call_tool: CallTool, fact: facts.Rule) -> None:
        self._leg, self._tool, self._fact = leg, call_tool, fact
        self._golden = {stop.index: stop.value for stop in leg.stops}
        self._values: dict[int, Value] = {}
        self._mismatches: list[Mismatch] = []
        self._unverifiable: list[int] = []
        self._pages: dict[str, ToolReply] = {}
        self._calls = 0

    async def run(self) -> Walk:
        """Walk every stop; the finish line is the last."""
        for stop in self._leg.stops:
            self._values[stop.index] = await self._stop(stop)
        digit = number_of(self._values[self._leg.finish.index])
        return Walk(
            values=self._values,
            mismatches=tuple(self._mismatches),
            unverifiable=tuple(self._unverifiable),
            digit=None if digit is None else int(digit),
            calls=self._calls,
        )

    async def _stop(self, stop: PitStop) -> Value:
        match stop:
            case RouteInfo():
                return await self._route_info(stop)
            case Roadblock():
                return await self._roadblock(stop)
            case Detour():
                return self._detour(stop)
            case FinishLine():
                return self._finish(stop)

    async def _route_info(self, stop: RouteInfo) -> Value:
        if stop.page_url is None:
            return self._miss(stop, None, "the stop names no page")
        page = await self._fetch(stop.page_url)
        if not page.ok:
            return self._miss(stop, None, f"the page can't be fetched: {page.text[:200]}")
        await self._transition(stop, page.text)
        seen = self._fact(page.text, stop)
        if seen is not None:
            return self._compare(stop, seen, f"the page gives this for {stop.target!r}")
        if not pages.holds(page.text, stop.value, stop.value_type):
            return self._miss(stop, None, "the golden value does not stand on the page")
        self._unverifiable.append(stop.index)
        return stop.value

    async def _transition(self, stop: RouteInfo, text: str) -> None:
        """The way on must still be there: the link on the page, or the search result."""
        if stop.transition == "search_query" and stop.search_query:
            reply = await self._call("web_search", {"query": stop.search_query})
            target, place = stop.search_result_url, f"the results for {stop.search_query!r}"
            text = reply.text
        else:
            target, place = stop.link_url, "the page"
        if not target or target == stop.page_url:
            return
        if canonical_title(target) not in linked_pages(text, stop.page_url or ""):
            self._miss(stop, None, f"{place} no longer leads to {target}")

    async def _roadblock(self, stop: Roadblock) -> Value:
        try:
            if [step.tool for step in stop.chain] == [PYTHON_TOOL]:
                return await self._python(stop)
            value = await chains.run_chain(stop.chain, self._call)
        except ValueError as error:
            return self._miss(stop, None, str(error))
        return self._compare(stop, value, "the chain yields this")

    async def _python(self, stop: Roadblock) -> Value:
        """Run the code; a merge with its branches' new values, other code as it stands."""
        step = stop.chain[0]
        code = str(step.arguments.get("code", ""))
        why = "the code prints this"
        if is_merge(stop) and stop.depends_on:
            fresh = self._numbers_of(stop.depends_on)
            literals = arithmetic.operand_literals(chains.merge_expression(code) or "0")
            if not all(map(same, literals, fresh)):
                why = f"the code holds {list(literals)}, its branches give {fresh}"
            code = chains.substituted(code, fresh)
        reply = await self._call(PYTHON_TOOL, {**step.arguments, "code": code})
        if not reply.ok:
            return self._miss(stop, None, f"the code failed: {reply.text[:200]}")
        return self._compare(stop, read(step.output_key or "converted", reply.text), why)

    def _detour(self, stop: Detour) -> Value:
        if stop.source not in self._values:
            return self._miss(
                stop, None, f"its source, stop {stop.source}, comes later or not at all"
            )
        source = self._values[stop.source]
        try:
            value = transforms.apply(stop.transform, source)
        except (ValueError, KeyError) as error:
            return self._miss(stop, None, f"{stop.transform} of {source!r}: {error}")
        return self._compare(
            stop, value, f"{stop.transform} of stop {stop.source}'s value {source!r}"
        )

    def _finish(self, stop: FinishLine) -> Value:
        try:
            literals = arithmetic.operand_literals(stop.expression)
            partners = partners_of(stop, self._golden)
            fresh = fresh_operands(partners, self._values)
            value = int(arithmetic.evaluate(stop.expression, fresh))
        except ValueError as error:
            return self._miss(stop, None, str(error))
        for place, number in fresh.items():
            if not same(int(literals[place]), number):
                held = (
                    f"the expression holds {literals[place]}, stop {partners[place]} gives {number}"
                )
                return self._miss(stop, value, held)
        if value != self._leg.digit and same(stop.value, value):
            return self._wrong_digit(stop, value)
        return self._compare(stop, value, f"{stop.expression} over the recomputed operands")

    def _wrong_digit(self, stop: FinishLine, value: int) -> Value:
        """The finish line agrees with its own golden value, the file's digit with neither."""
        why = f"passcode {self._leg.digit} is the file's digit, its finish line gives {value}"
        self._mismatches.append(
            Mismatch(stop=stop.index, kind=kind_of(stop), old=self._leg.digit, new=value, why=why)
        )
        return value

    def _numbers_of(self, indexes: tuple[int, ...]) -> list[int | float]:
        numbers = [number_of(self._values.get(index)) for index in indexes]
        missing = [i for i, number in zip(indexes, numbers, strict=True) if number is None]
        if missing:
            raise chains.ChainBroken(f"branches {missing} have no number")
        return [number for number in numbers if number is not None]

    async def _fetch(self, url: str) -> ToolReply:
        """A page once per walk: two stops on one page are one fetch."""
        if url not in self._pages:
            self._pages[url] = await self._call("fetch_webpage", {"url": url})
        return self._pages[url]

    async def _call(self, name: str, arguments: Any) -> ToolReply:
        self._calls += 1
        return await self._tool(name, arguments)

    def _compare(self, stop: PitStop, value: Value, why: str) -> Value:
        if not same(stop.value, value):
            self._miss(stop, value, why)
        return value

    def _miss(self, stop: PitStop, new: Value | None, why: str) -> Value:
        self._mismatches.append(
            Mismatch(stop=stop.index, kind=kind_of(stop), old=stop.value, new=new, why=why)
        )
        return stop.value if new is None else new
