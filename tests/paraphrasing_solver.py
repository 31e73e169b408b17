"""A perfect agent with words and code of its own: it meets the golden steps, never their spelling."""

import json
from typing import Any

from perfect_trace import call, fetch, place, result_of

from pytest_aar.leg import ChainStep, Leg, Roadblock, RouteInfo
from pytest_aar.leg.placeholders import resolve
from pytest_aar.trace import ToolCall, Trace


def solve(leg: Leg) -> Trace:
    """The trace of such an agent; a call that it has made already it does not make again."""
    calls: dict[str, ToolCall] = {}
    for stop in leg.stops:
        made = []
        if isinstance(stop, RouteInfo):
            assert stop.page_url is not None
            made = [fetch(stop.page_url.replace("en.", "en.m.") + "#History", text="...")]
        elif isinstance(stop, Roadblock):
            made = _chain(stop)
        for each in made:
            calls.setdefault(json.dumps([each.name, each.arguments, each.text]), each)
    return Trace(events=tuple(calls.values()))


def _chain(stop: Roadblock) -> list[ToolCall]:
    calls, outputs = [], {}
    for step in stop.chain:
        arguments = _own_words(step, resolve(step.arguments, outputs))
        extra, arguments = _located(step, arguments)
        result = result_of(step.output_key or "", arguments, stop.value)
        if "stdout" in result:
            result["stdout"] = f"computing...\nthe answer is {stop.value:,}\n"
        calls += [*extra, call(step.tool, arguments, result)]
        if step.output_key is not None and step.output_key.startswith("coords"):
            outputs[step.output_key] = place(arguments["address"])
    return calls


def _own_words(step: ChainStep, arguments: dict[str, Any]) -> dict[str, Any]:
    reword = _REWORDED.get(step.tool)
    return reword(dict(arguments)) if reword else dict(arguments)


def _located(step: ChainStep, arguments: dict[str, Any]) -> tuple[list[ToolCall], dict[str, Any]]:
    """Place searches by kind, at coordinates looked up first; and without "near" where there is none."""
    query = arguments.get("query")
    if query is None:
        return [], arguments
    kind, near, where = query.partition(" near ")
    if not near:
        return [], {"query": f"find the {query}"}
    here = place(where)
    located = {"location": {"lat": here["latitude"], "lng": here["longitude"]}}
    looked_up = call("maps_geocode", {"address": where}, located)
    at = {"lat": here["latitude"], "lng": here["longitude"]}
    return [looked_up], {"query": f"all {kind.title()}", "location": at, "radius": 5000}


def _rounded(point: dict[str, Any]) -> dict[str, Any]:
    return {"latitude": round(point["latitude"], 2), "longitude": round(point["longitude"], 2)}


def _country(given: dict[str, Any]) -> dict[str, Any]:
    return {"country": f"The country {given['country']}"}


def _ticker(given: dict[str, Any]) -> dict[str, Any]:
    return given | {"ticker": given["ticker"].lower()}


_REWORDED = {
    "maps_geocode": lambda given: {"address": f"  {given['address'].upper()},  Planet Earth"},
    "maps_elevation": lambda given: {"locations": [_rounded(p) for p in given["locations"]]},
    "maps_distance_matrix": lambda given: given | {"units": "metric", "mode": "driving"},
    "maps_directions": lambda given: {
        "origin": given["origin"].lower(),
        "destination": f"{given['destination']} now",
    },
    "weather_historical": lambda given: _rounded(given) | {"date": given["start_date"]},
    "python_execute_code": lambda _: {"code": "import sys; ...", "timeout_seconds": 5},
    "countries_population": _country,
    "countries_area": _country,
    "stock_historical_price": _ticker,
    "stock_volume": _ticker,
}
