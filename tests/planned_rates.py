"""What FA, PVR and RCR a race must get in which nothing but the stand-in's planned faults went wrong.

By the paper's definitions, from leg and plan alone: neither the trace nor the package's scorer has a say.
"""

from collections.abc import Mapping
from typing import Any

from pytest_aar.leg import Leg


def planned_rates(leg: Leg, plan: Mapping[str, Any]) -> dict[str, float]:
    """Answer right or wrong; visited pages / golden pages; complete roadblocks / roadblocks."""
    spoiled = {fault["stop"] for fault in plan["faults"]}
    pages = {stop.page_url for stop in leg.route_infos}
    missed = {stop.page_url for stop in leg.route_infos if stop.index in spoiled}
    blocked = sum(roadblock.index in spoiled for roadblock in leg.roadblocks)
    return {
        "fa": int(plan["error_class"] == "correct"),
        "pvr": 1 - len(missed) / len(pages),
        "rcr": 1 - blocked / len(leg.roadblocks),
    }
