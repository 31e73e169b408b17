"""A world of a few pages and places, a leg through it, and a gateway over it: fakes for several tests."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import httpx

from pytest_aar.gateway import Gateway, RaceOrder, RaceSession, Tapes
from pytest_aar.leg import (
    ChainStep,
    ClueEnvelope,
    Detour,
    Difficulty,
    FinishLine,
    Leg,
    Roadblock,
    RouteInfo,
)
from pytest_aar.settings import Settings
from pytest_aar.tools import SANDBOX, TOOL_NAMES, Services, TransportDecides

WIKI = "https://wiki.aar.test/wiki/"
ROUTE = ("Start", "Alpha", "Beta", "Gamma")
OTHERS = ("Delta", "Epsilon", "Zeta")


def answer(request: httpx.Request) -> httpx.Response:
    """What the services of the little world say."""
    path = request.url.path
    if path == "/w/api.php":
        return _page(request.url.params["page"])
    if path == "/search":
        links = [{"title": name, "link": WIKI + name, "snippet": ""} for name in (*ROUTE, *OTHERS)]
        return httpx.Response(200, json={"organic": links})
    if path.endswith("/geocode/json"):
        spot = {"lat": 60.5, "lng": 10.25}
        found = {"formatted_address": "Norland", "geometry": {"location": spot}, "place_id": "p1"}
        return httpx.Response(200, json={"status": "OK", "results": [found]})
    if path.endswith("/elevation/json"):
        lat, lng = map(float, request.url.params["locations"].split("|")[0].split(","))
        found = {"elevation": 432.0, "location": {"lat": lat, "lng": lng}, "resolution": 9.5}
        return httpx.Response(200, json={"status": "OK", "results": [found]})
    if path.startswith("/countries/"):
        name = path.rpartition("/")[2]
        country = {"names": {"common": name}, "population": 1234, "area": {"kilometers": 567.0}}
        known = [country] if name == "Norland" else []
        return httpx.Response(200, json={"data": {"objects": known}})
    return httpx.Response(404, json={"error": "no such thing"})


def _page(title: str) -> httpx.Response:
    if title not in (*ROUTE, *OTHERS):
        return httpx.Response(200, json={"error": {"code": "missingtitle", "info": "no page"}})
    links = "".join(f'<a href="/wiki/{name}">{name}</a> ' for name in (*ROUTE, *OTHERS))
    html = f"<div><p>{title} counts {len(title)} letters.</p><p>See {links}</p></div>"
    return httpx.Response(200, json={"parse": {"title": title, "text": html, "langlinks": []}})


@dataclass
class OpenWorld:
    name: str
    services: Services
    world_hash: str = "little"


@asynccontextmanager
async def open_world(name: str, settings: Settings, **_: Any) -> AsyncIterator[OpenWorld]:
    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
        services = Services(http=http, endpoints=SANDBOX, guard=TransportDecides())
        yield OpenWorld(name=name, services=services)


def _stop(index: int, value: Any, target: str = "") -> dict[str, Any]:
    return {"index": index, "value": value, "value_type": "number", "target": target}


def _route_info(index: int, page: str) -> RouteInfo:
    return RouteInfo(**_stop(index, len(page)), page_url=WIKI + page, transition="link_follow")


def _roadblock(index: int, value: float, *steps: tuple[str, Mapping[str, Any], str]) -> Roadblock:
    chain = tuple(ChainStep(tool=t, arguments=a, output_key=key) for t, a, key in steps)
    return Roadblock(**_stop(index, value), page_url=None, chain=chain)


LEG = Leg(
    leg_id="little/one",
    variant="linear",
    level="easy",
    sha256="0" * 64,
    trail_id="t",
    seed_url=WIKI + "Start",
    seed_title="Start",
    stops=(
        _route_info(0, "Start"),
        _roadblock(1, 1234, ("countries_population", {"country": "Norland"}, "population")),
        _route_info(2, "Alpha"),
        _roadblock(
            3,
            432.0,
            ("maps_geocode", {"address": "Norland"}, "coords"),
            ("maps_elevation", {"__from_previous_as_locations": "coords"}, "elevation"),
        ),
        _route_info(4, "Beta"),
        Detour(**_stop(5, 5), page_url=None, transform="next_prime", source=4),
        _route_info(6, "Gamma"),
        _roadblock(7, 567.0, ("countries_area", {"country": "Norland"}, "area_km2")),
        FinishLine(**_stop(8, 6), page_url=None, expression="(1234 + 432) % 10", operands=(1, 3)),
    ),
    digit=6,
    difficulty=Difficulty(level="easy"),
    clues="1. Start.\n2. How many live in Norland?",
    metadata={},
    generated_at="",
)


def leg_named(leg_id: str) -> Leg:
    return replace(LEG, leg_id=leg_id)


def envelope(leg: Leg = LEG, budget: int | None = None) -> ClueEnvelope:
    return ClueEnvelope(
        seed_url=leg.seed_url, clues=leg.clues, tools=TOOL_NAMES, step_budget=budget
    )


def order(
    leg: Leg = LEG, *, step_limit: int | None = None, tapes: Tapes | None = None, repeat: int = 1
) -> RaceOrder:
    return RaceOrder(
        leg=leg,
        envelope=envelope(leg, step_limit),
        step_limit=step_limit,
        tapes=tapes or Tapes(),
        repeat=repeat,
    )


def gateway(upstream: httpx.AsyncBaseTransport | None = None, **settings: Any) -> Gateway:
    given = {"model": "some-model", "base_url": "https://model.test/v1", **settings}
    return Gateway(Settings(**given), upstream=upstream, open_world=open_world)


def post(race: RaceSession, gate: Gateway, path: str, **request: Any) -> httpx.Response:
    """One request over the in-process client."""

    async def send() -> httpx.Response:
        async with race.client() as client:
            return await client.post(path, **request)

    return gate.run(send())


def chat(content: str = "7", **more: Any) -> dict[str, Any]:
    """A complete chat completion."""
    message = {"role": "assistant", "content": content}
    return {
        "id": "c1",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": 11,
            "completion_tokens": 3,
            "prompt_tokens_details": {"cached_tokens": 4},
        },
        **more,
    }


def events(*data: Mapping[str, Any]) -> bytes:
    """Server-sent events with the closing [DONE]."""
    lines = [f"data: {json.dumps(item)}\n\n" for item in data]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()
