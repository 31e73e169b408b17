"""A trace that does everything a leg asks, in the tools' canonical results: `perfect(leg)`."""

import json
import zlib
from typing import Any

from pytest_aar.leg import ChainStep, Leg, Roadblock, RouteInfo, Value
from pytest_aar.leg.placeholders import resolve
from pytest_aar.trace import Finish, ToolCall, Trace

_WEATHER = {
    "precipitation": "precipitation_sum",
    "snowfall": "snowfall_sum",
    "sunshine": "sunshine_duration",
    "temperature": "temperature_2m_max",
}


def perfect(leg: Leg) -> Trace:
    calls: list[ToolCall] = []
    for stop in leg.stops:
        if isinstance(stop, RouteInfo):
            assert stop.page_url is not None
            calls.append(fetch(stop.page_url, text=f"The value is {stop.value} here."))
        elif isinstance(stop, Roadblock):
            calls.extend(_chain_calls(stop))
    return Trace(events=tuple(calls))


def right_answer(leg: Leg) -> Finish:
    return Finish(ending="answered", answer=leg.digit)


def fetch(url: str, *, text: str = "", ok: bool = True, final_url: str | None = None) -> ToolCall:
    return call("fetch_webpage", {"url": url}, text, ok=ok, final_url=final_url or url)


def call(name: str, arguments: dict[str, Any], result: Any, **fields: Any) -> ToolCall:
    text = result if isinstance(result, str) else json.dumps(result)
    return ToolCall(name=name, arguments=arguments, text=text, **({"ok": True} | fields))


def place(address: str) -> dict[str, float]:
    """Where the made-up geocoder puts an address: the same every time, rarely near another."""
    number = zlib.crc32(address.encode())
    return {
        "latitude": number % 17_000 / 100 - 85,
        "longitude": number // 17_000 % 35_000 / 100 - 175,
    }


def result_of(output_key: str, arguments: dict[str, Any], value: Value) -> Any:
    """The canonical result in which `output_key` reads as `value`."""
    if output_key.startswith("coords"):
        here = place(str(arguments["address"]))
        return {"location": {"lat": here["latitude"], "lng": here["longitude"]}}
    if output_key in _WEATHER:
        return {f"daily.{_WEATHER[output_key]}[0]": value}
    return {
        "elevation": {"results": [{"elevation": value}]},
        "poi_count": {"count": value},
        "place_rating": {"places": [{"name": "First", "rating": value}]},
        "distance_km": {"results": [{"status": "OK", "distance_km": value}]},
        "duration": {"duration_min": value},
        "population": {"population": value},
        "area_km2": {"area_km2": value},
        "stock_price": {"close_price": value},
        "crypto_price": {"close_price": value},
        "stock_volume": {"volume": value},
        "crypto_volume": {"volume": value},
    }.get(output_key, {"stdout": f"{value}\n", "stderr": "", "exit_code": 0})


def _chain_calls(stop: Roadblock) -> list[ToolCall]:
    calls, outputs = [], {}
    for each in stop.chain:
        arguments = resolve(each.arguments, outputs)
        calls.append(_call(each, arguments, stop.value))
        if each.output_key is not None and each.output_key.startswith("coords"):
            outputs[each.output_key] = place(arguments["address"])
    return calls


def _call(step: ChainStep, arguments: dict[str, Any], value: Value) -> ToolCall:
    return call(step.tool, arguments, result_of(step.output_key or "", arguments, value))
