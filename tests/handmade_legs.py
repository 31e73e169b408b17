"""Small legs made by hand, in the published format, for any test: `leg(linear())`, `leg(diamond())`."""

import copy
import json
from typing import Any

from pytest_aar.leg import Leg
from pytest_aar.leg_file import parse_leg

Wire = dict[str, Any]

_BRIDGE: Wire = {
    "target_url": None,
    "search_query": None,
    "expected_result_url": None,
    "tool_chain": [],
    "expression": None,
    "expression_code": None,
    "referenced_stops": [],
}


def url(title: str) -> str:
    return f"https://wiki.aar.test/wiki/{title.replace(' ', '_')}"


def step(tool: str, output_key: str, **arguments: Any) -> Wire:
    return {
        "tool_name": tool,
        "arguments": arguments,
        "expected_output": None,
        "output_key": output_key,
    }


def elevation_chain(address: str) -> list[Wire]:
    return [
        step("maps_geocode", "coords", address=address),
        step("maps_elevation", "elevation", __from_previous_as_locations="coords"),
    ]


def _stop(index: int, kind: str, value: Any, bridge: Wire, **fields: Any) -> Wire:
    return {
        "index": index,
        "stop_type": kind,
        "page_url": None,
        "extraction_target": f"what stop {index} asks",
        "extraction_section": None,
        "extracted_value": value,
        "extracted_value_type": "text" if isinstance(value, str) else "number",
        "bridge": {"bridge_type": "compute"} | copy.deepcopy(_BRIDGE) | bridge,
        "reasoning": "",
        "reason_transform": None,
        "reason_source_stop": None,
        "reason_code": None,
    } | fields


def page(index: int, title: str, value: Any, **fields: Any) -> Wire:
    bridge = {"bridge_type": "link_follow", "target_url": url("Next")}
    return _stop(index, "page", value, bridge, page_url=url(title), **fields)


def roadblock(index: int, chain: list[Wire], value: Any, **fields: Any) -> Wire:
    bridge = {"bridge_type": "tool_call", "tool_chain": chain}
    return _stop(index, "tool", value, bridge, page_url=url("Somewhere"), **fields)


def detour(index: int, transform: str, source: int, value: int, **fields: Any) -> Wire:
    own = {
        "page_url": url("Somewhere"),
        "reason_transform": transform,
        "reason_source_stop": source,
        "reason_code": "print(0)",
    }
    return _stop(index, "reason", value, {}, **(own | fields))


def finish(index: int, expression: str, operands: list[int], digit: int, **fields: Any) -> Wire:
    bridge = {
        "expression": expression,
        "expression_code": f"print({expression})",
        "referenced_stops": operands,
    }
    return _stop(index, "compute", digit, bridge, **fields)


def wire_leg(stops: list[Wire], digit: int, **fields: Any) -> Wire:
    return {
        "trail_id": "trail_0",
        "seed_url": url("Seed town"),
        "seed_title": "Seed town",
        "stops": stops,
        "passcode": digit,
        "difficulty": {
            "level": "easy",
            "depth": 1,
            "tool_stop_count": 1,
            "reason_stop_count": 1,
            "extraction_difficulty": "easy",
            "bridge_obscurity": "low",
        },
        "riddle": "1. Start where it starts.\n2. Go on.",
        "metadata": {"difficulty": "easy"},
        "generated_at": "2026-03-15T00:00:00Z",
    } | fields


def linear() -> Wire:
    """Six stops, every kind: (1936 + 7) % 10."""
    return wire_leg(
        [
            page(0, "Seed town", 1936),
            page(1, "River Alna", "Oslofjord"),
            roadblock(2, elevation_chain("Mount Alna"), 1672.9066),
            detour(3, "digit_sum", 2, 16),
            roadblock(4, [step("python_execute_code", "days", code="print(7)")], 7),
            finish(5, "(1936 + 7) % 10", [0, 4, 3], 3),
        ],
        3,
    )


def diamond() -> Wire:
    """Nine stops with one diamond on stop 1: digital_root(1692 + 4)."""
    merge = step("python_execute_code", "merged", code="print(int(1672.9) + int(20.0))")
    return wire_leg(
        [
            page(0, "Seed town", 1936, depends_on=[]),
            page(1, "Alna castle", "1210", depends_on=[0]),  # MCCX: four letters
            roadblock(2, elevation_chain("Alna castle"), 1672.9, depends_on=[1]),
            roadblock(
                3,
                [step("maps_search_places", "poi_count", query="hotels near Alna castle")],
                20.0,
                depends_on=[1],
            ),
            roadblock(4, [merge], 1692, depends_on=[2, 3]),
            detour(5, "roman_numeral_letter_count", 1, 4, depends_on=[4]),
            page(6, "Lake Ulna", 88, depends_on=[5]),
            roadblock(
                7,
                [step("countries_population", "population", country="Norway")],
                5_550_203,
                depends_on=[6],
            ),
            finish(8, "digital_root(1692 + 4)", [4, 5, 6], 4, depends_on=[4, 5, 6]),
        ],
        4,
    )


def leg(wire: Wire, leg_id: str = "handmade") -> Leg:
    return parse_leg(json.dumps(wire).encode(), leg_id=leg_id, where=f"{leg_id}.json")
