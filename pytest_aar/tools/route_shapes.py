"""Replies of the Routes API, which leaves out fields at zero, and of the legacy Distance Matrix and Directions."""

from collections.abc import Sequence
from typing import Any

from pytest_aar.tools.exchange import number, reading
from pytest_aar.tools.google_errors import ROUTES, refuse_errors
from pytest_aar.tools.google_status import check_status, has_status
from pytest_aar.tools.result import ToolFailure

#: Codes of google.rpc.Status, the status of an element, as words.
_CODES = {
    1: "CANCELLED",
    3: "INVALID_REQUEST",
    4: "DEADLINE_EXCEEDED",
    5: "NOT_FOUND",
    7: "REQUEST_DENIED",
    8: "OVER_QUERY_LIMIT",
    9: "FAILED_PRECONDITION",
    16: "REQUEST_DENIED",
}
_UNKNOWN = "UNKNOWN_ERROR"
#: Words of an element that are the service's failure and say nothing of its places, the gravest first.
_FAULTS = ("REQUEST_DENIED", "OVER_QUERY_LIMIT", "DEADLINE_EXCEEDED", _UNKNOWN)
#: What a reply on routes may hold beside them.
_BESIDE = {"geocodingResults", "fallbackInfo"}

Rows = list[list[dict[str, Any]]]


def matrix_in(body: Any, origins: Sequence[str], destinations: Sequence[str]) -> dict[str, Any]:
    """A matrix reply of either family as `{results, rows}`, rows by origin.

    Raises:
        ToolFailure: the reply is an error, or each of its elements is one of the service's.
    """
    with reading(ROUTES.service):
        if has_status(body):
            check_status(body, "Distance Matrix (legacy)", "these places", successor=ROUTES)
            origins = _names(origins, body["rows"], body.get("origin_addresses"))
            elements = [item["elements"] for item in body["rows"]]
            destinations = _names(destinations, elements[0], body.get("destination_addresses"))
            rows = [[_legacy_element(item) for item in row] for row in elements]
        else:
            refuse_errors(body, ROUTES.service)
            rows = _rows(body, len(origins), len(destinations))
            _refuse_faults([element for row in rows for element in row])
        results = [
            _flat(origin, destination, element)
            for origin, row in zip(origins, rows, strict=True)
            for destination, element in zip(destinations, row, strict=True)
        ]
    return {"results": results, "rows": [{"elements": row} for row in rows]}


def route_in(body: Any, what: str) -> dict[str, Any]:
    """`{distance_km, duration_min, summary}` of the first route of a reply; `{}` means that there is none."""
    with reading(ROUTES.service):
        if has_status(body):
            check_status(body, "Directions (legacy)", what, successor=ROUTES)
        else:
            refuse_errors(body, ROUTES.service)
            if "routes" not in body and body.keys() - _BESIDE:
                raise KeyError("routes")
        routes = body.get("routes") or []
        if not routes:
            raise ToolFailure("not_found", f"there is no route {what}")
        route = routes[0]
        distance, duration = _legacy_sums(route) if has_status(body) else _sums(route)
        name = route.get("description") or route.get("summary")
    distance_km, minutes = _km(distance), _minutes(duration)
    summary = f"{what}: {distance_km} km, {minutes} min{f' via {name}' if name else ''}"
    return {"distance_km": distance_km, "duration_min": minutes, "summary": summary}


def _rows(body: Any, height: int, width: int) -> Rows:
    """The elements of the present API, which come in any order, put in rows."""
    if not isinstance(body, list):
        raise TypeError(f"a list of elements expected, got {type(body).__name__}")
    found = {
        (item.get("originIndex", 0), item.get("destinationIndex", 0)): _element(item)
        for item in body
    }
    asked = [[(row, column) for column in range(width)] for row in range(height)]
    strange = found.keys() - {place for row in asked for place in row}
    if strange or not found:
        raise ValueError(f"elements {sorted(strange)} of {height} origins x {width} destinations")
    return [[found.get(place, {"status": _UNKNOWN}) for place in row] for row in asked]


def _refuse_faults(elements: Sequence[dict[str, Any]]) -> None:
    """Fail where no element says anything of the places."""
    by_word = {element["status"]: element for element in elements}
    if by_word.keys() - set(_FAULTS):
        return
    worst = by_word[next(word for word in _FAULTS if word in by_word)]
    said = {"status": worst["status"], "error_message": worst.get("message")}
    check_status(said, ROUTES.service, f"each of the {len(elements)} pairs of places")


def _element(item: Any) -> dict[str, Any]:
    status = item.get("status") or {}
    if status.get("code"):
        said = {"message": status["message"]} if status.get("message") else {}
        return {"status": _CODES.get(status["code"], _UNKNOWN), **said}
    if item.get("condition", "ROUTE_EXISTS") != "ROUTE_EXISTS":
        return {"status": "ZERO_RESULTS"}
    metres, seconds = _sums(item)
    return {"status": "OK", "distance": {"value": metres}, "duration": {"value": seconds}}


def _legacy_element(item: Any) -> dict[str, Any]:
    if item["status"] != "OK":
        return {"status": item["status"]}
    metres, seconds = _legacy_lengths(item)
    return {"status": "OK", "distance": {"value": metres}, "duration": {"value": seconds}}


def _names(given: Sequence[str], items: Sequence[Any], addresses: Any) -> Sequence[str]:
    """What was asked for, as the caller wrote it; the reply's own names where it holds other places."""
    return given if len(given) == len(items) else list(addresses)


def _flat(origin: str, destination: str, element: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "origin": origin,
        "destination": destination,
        "status": element["status"],
    }
    if element["status"] != "OK":
        return {**found, "distance_km": None, "duration_min": None}
    return {
        **found,
        "distance_km": _km(element["distance"]["value"]),
        "duration_min": _minutes(element["duration"]["value"]),
    }


def _sums(item: Any) -> tuple[float, float]:
    """Metres and seconds of a route or an element; of its legs, where only they say."""
    metres = sum(number(part.get("distanceMeters", 0)) for part in _saying("distanceMeters", item))
    return metres, _whole(sum(_seconds(part) for part in _saying("duration", item)))


def _saying(key: str, item: Any) -> list[Any]:
    return [item] if key in item else item.get("legs") or [item]


def _seconds(item: Any) -> float:
    """A duration such as "160s" as a number; the field is left out for zero."""
    return number(item.get("duration", "0s").removesuffix("s"))


def _legacy_sums(route: Any) -> tuple[float, float]:
    legs = [_legacy_lengths(leg, f"leg {place}") for place, leg in enumerate(route["legs"], 1)]
    if not legs:
        raise ValueError("a route without legs")
    return sum(metres for metres, _ in legs), sum(seconds for _, seconds in legs)


def _legacy_lengths(item: Any, name: str = "an element with a route") -> tuple[float, float]:
    """Metres and seconds; the time in traffic is left alone, as the present API does by default."""
    missing = [key for key in ("distance", "duration") if key not in item]
    if missing:
        raise ValueError(f"{name} has no {' and no '.join(missing)}")
    return number(item["distance"]["value"]), number(item["duration"]["value"])


def _whole(seconds: float) -> float:
    return int(seconds) if seconds == int(seconds) else seconds


def _km(metres: float) -> float:
    return round(metres / 1000, 3)


def _minutes(seconds: float) -> float:
    return round(seconds / 60, 4)
