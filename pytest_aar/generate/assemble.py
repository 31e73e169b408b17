"""A finished draft as a `Leg`: keys become indexes, route order becomes `depends_on`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_aar.leg import Detour, Difficulty, FinishLine, Leg, PitStop, Roadblock, RouteInfo

from .draft import Draft, DraftStop
from .levels import Level


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """What a leg says of its making."""

    leg_id: str
    variant: str
    level: Level
    trail_id: str
    generated_at: str
    metadata: Mapping[str, Any]


def assemble(draft: Draft, stamp: Stamp) -> Leg:
    """The leg; `sha256` stays empty until it is written."""
    parts = _Parts(draft)
    seed = draft.graph.pages[draft.graph.seed]
    return Leg(
        leg_id=stamp.leg_id,
        variant=stamp.variant,
        level=stamp.level.name,
        sha256="",
        trail_id=stamp.trail_id,
        seed_url=seed.url,
        seed_title=seed.title,
        stops=tuple(parts.stop(stop) for stop in draft.stops),
        digit=draft.digit or 0,
        difficulty=_difficulty(draft, stamp.level),
        clues=draft.clues,
        metadata=stamp.metadata,
        generated_at=stamp.generated_at,
    )


def _difficulty(draft: Draft, level: Level) -> Difficulty:
    kinds = [stop.kind for stop in draft.stops]
    searches = any(stop.way and stop.way.kind == "search_query" for stop in draft.stops)
    return Difficulty(
        level=level.name,
        depth=len(kinds),
        tool_stop_count=kinds.count("roadblock") + kinds.count("merge"),
        reason_stop_count=kinds.count("detour"),
        extraction_difficulty=level.extraction,
        bridge_obscurity="search" if searches else "direct_link",
    )


class _Parts:
    """Makes stops; knows every key's index and the pages' order."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._index = {stop.key: place for place, stop in enumerate(draft.stops)}
        pages = [stop for stop in draft.stops if stop.kind == "page"]
        self._next = dict(zip([s.key for s in pages], [*pages[1:], None], strict=True))

    def stop(self, stop: DraftStop) -> PitStop:
        """One stop as the leg's record."""
        makers: Mapping[str, Callable[[DraftStop, dict[str, Any]], PitStop]] = {
            "page": self._route_info,
            "roadblock": self._roadblock,
            "merge": self._roadblock,
            "detour": self._detour,
            "finish": self._finish,
        }
        shared = {
            "index": self._index[stop.key],
            "value": stop.value,
            "value_type": stop.value_type,
            "page_url": self._draft.graph.pages[stop.place].url if stop.place else None,
            "target": stop.target,
            "section": stop.section,
            "depends_on": self._depends_on(stop),
        }
        return makers[stop.kind](stop, shared)

    def _depends_on(self, stop: DraftStop) -> tuple[int, ...]:
        """The stop before; a diamond's branches hang on its page, its merge on both branches."""
        place = self._index[stop.key]
        if stop.kind == "merge":
            return tuple(self._index[key] for key in stop.sources)
        if stop.key.endswith("-right"):
            place -= 1  # beside the left branch, which comes directly before
        return (place - 1,) if place else ()

    def _route_info(self, stop: DraftStop, shared: dict[str, Any]) -> PitStop:
        following = self._next[stop.key]
        if following is None or following.way is None:
            return RouteInfo(transition="link_follow", link_url=shared["page_url"], **shared)
        url = self._draft.graph.pages[following.place].url
        if following.way.kind == "search_query":
            return RouteInfo(
                transition="search_query",
                search_query=following.way.query,
                search_result_url=url,
                **shared,
            )
        return RouteInfo(transition="link_follow", link_url=url, **shared)

    def _roadblock(self, stop: DraftStop, shared: dict[str, Any]) -> PitStop:
        sources = [self._index[key] for key in stop.sources]
        taken = {"referenced_stops": sources} if sources and stop.kind == "roadblock" else {}
        return Roadblock(chain=stop.chain, bridge_extra=taken, **shared)

    def _detour(self, stop: DraftStop, shared: dict[str, Any]) -> PitStop:
        source = self._index[stop.sources[0]]
        return Detour(transform=stop.transform or "", source=source, code=stop.code, **shared)

    def _finish(self, stop: DraftStop, shared: dict[str, Any]) -> PitStop:
        operands = tuple(self._index[key] for key in stop.sources)
        expression = self._draft.expression
        return FinishLine(
            expression=expression, operands=operands, code=_code(expression), **shared
        )


def _code(expression: str) -> str:
    head = ""
    if expression.startswith("digital_root"):
        head = (
            "def digital_root(n):\n    n = abs(int(n))\n"
            "    return n if n == 0 else ((n - 1) % 9) + 1\n"
        )
    return f"{head}result = {expression}\nprint(result)"
