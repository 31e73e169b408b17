"""A small leg with each kind of stop, and a course that answers its tools."""

import contextlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_aar.leg import (
    ChainStep,
    Detour,
    Difficulty,
    FinishLine,
    Leg,
    PitStop,
    Roadblock,
    RouteInfo,
)

WIKI = "https://wiki.aar.test/wiki/"
PAGES = {
    f"{WIKI}Lake_Town": "# Lake Town\n\n| Elevation | 1,234 m |\n| Founded | 3 May 1901 |\n\n"
    "Its port [Harbour](/wiki/Harbour) has 57 berths.",
    f"{WIKI}Harbour": "# Harbour\n\n| Depth | 18 m |\n",
}


@dataclass(frozen=True)
class Reply:
    text: str
    ok: bool = True


class Course:
    """Answers the tools that the leg below needs; counts calls. `page` is the text of the first page."""

    def __init__(self, **changes: Any) -> None:
        self.answers = {"elevation": 1672.9, "count": 20, **changes}
        self.pages = PAGES | {f"{WIKI}Lake_Town": changes.get("page", PAGES[f"{WIKI}Lake_Town"])}
        self.names: list[str] = []

    async def __call__(self, name: str, arguments: Mapping[str, Any]) -> Reply:
        self.names.append(name)
        if name == "fetch_webpage":
            text = self.pages.get(arguments["url"])
            return Reply(text) if text else Reply('{"error": {"kind": "not_found"}}', ok=False)
        return Reply(json.dumps(self._answer(name, arguments)))

    def _answer(self, name: str, arguments: Mapping[str, Any]) -> Any:
        match name:
            case "maps_geocode":
                return {"location": {"lat": 47.5, "lng": 8.25}}
            case "maps_elevation":
                assert arguments == {"locations": [{"latitude": 47.5, "longitude": 8.25}]}
                return {"results": [{"elevation": self.answers["elevation"]}]}
            case "maps_search_places":
                return {"places": [{}] * self.answers["count"], "count": self.answers["count"]}
            case "web_search":
                return {"results": [{"url": f"{WIKI}Lake_Town"}], "count": 1}
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(arguments["code"], {})
        return {"stdout": out.getvalue(), "stderr": "", "exit_code": 0}


def python(key: str, code: str) -> tuple[ChainStep, ...]:
    step = ChainStep(tool="python_execute_code", arguments={"code": code}, output_key=key)
    return (step,)


def stops() -> list[PitStop]:
    town = f"{WIKI}Lake_Town"
    shared: dict[str, Any] = {"value_type": "number", "page_url": town}
    geocode = ChainStep(
        tool="maps_geocode", arguments={"address": "Lake Town"}, output_key="coords"
    )
    elevation = ChainStep(
        tool="maps_elevation",
        arguments={"__from_previous_as_locations": "coords"},
        output_key="elevation",
    )
    places = ChainStep(
        tool="maps_search_places",
        arguments={"query": "museums near Lake Town"},
        output_key="poi_count",
    )
    return [
        RouteInfo(
            index=0,
            value=1234,
            target="Elevation",
            transition="link_follow",
            link_url=f"{WIKI}Harbour",
            **shared,
        ),
        Roadblock(index=1, value=1672.9, target="", chain=(geocode, elevation), **shared),
        Roadblock(index=2, value=20, target="", chain=(places,), depends_on=(0,), **shared),
        Roadblock(
            index=3,
            value=1692,
            target="",
            chain=python("merged", "result = int(1672.9) + int(20)\nprint(result)"),
            depends_on=(1, 2),
            **shared,
        ),
        Detour(index=4, value=10, target="", transform="digit_sum", source=0, **shared),
        RouteInfo(
            index=5,
            value=18,
            value_type="number",
            page_url=f"{WIKI}Harbour",
            target="depth of the water",
            transition="link_follow",
        ),
        Roadblock(
            index=6,
            value=59,
            target="",
            chain=python("converted", "value = 18.0\nresult = int(value * 3.28084)\nprint(result)"),
            **shared,
        ),
        FinishLine(
            index=7,
            value=2,
            value_type="number",
            page_url=None,
            target="",
            expression="(1692 + 10) % 10",
            operands=(3, 4),
        ),
    ]


def leg(*, digit: int = 2, **changed: PitStop) -> Leg:
    made = stops()
    for name, stop in changed.items():
        made[int(name.removeprefix("stop"))] = stop
    return Leg(
        leg_id="legs/one",
        variant="dag",
        level="easy",
        sha256="",
        trail_id="t",
        seed_url=f"{WIKI}Lake_Town",
        seed_title="Lake Town",
        stops=tuple(made),
        digit=digit,
        difficulty=Difficulty(level="easy"),
        clues="",
        metadata={},
        generated_at="",
    )
