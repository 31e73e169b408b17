"""How much a digit hangs on each stop."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from handmade_legs import detour, finish, leg, page, roadblock, step, wire_leg

from pytest_aar.golden.perturb import Sway, digit_with, sway
from pytest_aar.leg import Leg, PitStop
from pytest_aar.tools import ToolResult

PEOPLE = {"Peru": 340, "Chile": 175}


async def call_tool(name: str, arguments: Mapping[str, Any]) -> ToolResult:
    people = PEOPLE.get(arguments["country"])
    if people is None:
        return ToolResult(ok=False, text="no such country")
    return ToolResult(ok=True, text=json.dumps({"country": "x", "population": people}))


def made() -> Leg:
    """(340 + 3) % 10, over a country that a page names and the ones of 104 in binary."""
    people = roadblock(2, [step("countries_population", "population", country="Peru")], 340)
    people["bridge"]["referenced_stops"] = [0]
    stops = [
        page(0, "Lima", "Peru"),
        page(1, "Callao", 104),
        people,
        detour(3, "binary_1bit_count", 1, 3),
        page(4, "Tacna", 7),
        finish(5, "(340 + 3) % 10", [2, 3], 3),
    ]
    return leg(wire_leg(stops, 3))


async def other_text(stop: PitStop) -> str | None:
    return "Chile"


def test_another_value_flows_on_to_the_digit():
    found = [
        asyncio.run(digit_with(made(), index, value, call_tool))
        for index, value in ((0, "Chile"), (1, 105), (1, 112), (2, 341), (3, 4))
    ]
    assert found == [8, 4, 3, 4, 4]  # 175 + 3, 340 + 4, 340 + 3 again, 341 + 3, 340 + 4


def test_a_stop_that_leads_nowhere_leaves_no_digit():
    assert asyncio.run(digit_with(made(), 0, "Atlantis", call_tool)) is None


def test_the_sway_tells_the_stops_that_change_the_digit():
    assert asyncio.run(sway(made(), call_tool, other_text)) == Sway(changing=(0, 1, 2, 3), idle=())

    async def same_text(stop: PitStop) -> str | None:
        return "Peru"

    async def gone_text(stop: PitStop) -> str | None:
        return "Atlantis"

    gone = asyncio.run(sway(made(), call_tool, gone_text))
    assert gone == Sway(changing=(1, 2, 3), idle=(), broken=(0,))
    assert gone.share == 1

    async def no_text(stop: PitStop) -> str | None:
        return None

    assert asyncio.run(sway(made(), call_tool, same_text)) == Sway(changing=(1, 2, 3), idle=(0,))
    assert asyncio.run(sway(made(), call_tool, no_text)).share == 1
    assert Sway(changing=(1, 2, 3), idle=(0,)).share == 0.75
    assert Sway(changing=(1,), idle=(0,), broken=(2, 3)).share == 0.5
    assert Sway(changing=(), idle=(), broken=(2,)).share == 0
