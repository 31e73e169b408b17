"""A tool's result to the typed value it stands for, by output key; and when two values agree.

The results' shapes are the tools' canonical ones: one shape, whatever service answered.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from pytest_aar.argument_names import given
from pytest_aar.leg import Value

#: Golden and seen numbers may differ by this share; places by this many degrees.
RELATIVE_TOLERANCE = 0.01
DEGREES_TOLERANCE = 0.02

_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?|[-+]?\.\d+")
#: Characters of a number that is read as an int: the largest float has 309 digits.
_MOST_DIGITS = 400
_STARTS_NUMBER = frozenset("+-.0123456789 ")
_DAILY = {
    "precipitation": "precipitation_sum",
    "snowfall": "snowfall_sum",
    "sunshine": "sunshine_duration",
    "temperature": "temperature_2m_max",
}


#: What reading a result of another shape raises; the last three by numbers and lists without end.
_NOT_THERE = (
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    ValueError,
    OverflowError,
    RecursionError,
)


class ReadingError(ValueError):
    """A result that does not hold the value asked for; says what was missing."""


def read(output_key: str, text: str) -> Value:
    """The value that a tool's result text yields under an output key.

    Coordinates are `{"latitude": .., "longitude": ..}`, durations whole minutes.
    Raises ReadingError, also for an error result.
    """
    reader = _READERS.get("coords" if output_key.startswith("coords") else output_key)
    if reader is None:
        known = ", ".join(sorted(_READERS))
        raise ReadingError(f"unknown output key {output_key!r}; there are: {known}")
    result = _object(text)
    try:
        return reader(result)
    except _NOT_THERE as error:
        raise ReadingError(
            f"no {output_key} in the result ({type(error).__name__}: {error}): {_short(text)}"
        ) from error


def printed(text: str) -> int | float:
    """The number that a program printed: the last number of its last line that holds one.

    `text` is the result of `python_execute_code`. Raises ReadingError when it printed none.
    """
    return _numeric(read("converted", text))


def number_of(value: object) -> int | float | None:
    """The number that a value is, also a text's such as "524,930"; None when it is none.

    Infinity is none, and so is an integer too large for a float: nothing can be compared with it.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value if _is_finite(value) else None
    if isinstance(value, str):
        match = _NUMBER.fullmatch(value.strip())
        return _parsed(match.group()) if match else None
    return None


def numbers_agree(golden: float, seen: float, *, relative: float = RELATIVE_TOLERANCE) -> bool:
    """Whether two numbers differ by at most `relative` of the golden one."""
    if not (_is_finite(golden) and _is_finite(seen)):
        return golden == seen
    # A hair above the bound, so that 1 % itself agrees in spite of binary fractions.
    return abs(golden - seen) <= relative * abs(golden) * (1 + 1e-9)


def agree(golden: Value, seen: Value, *, relative: float = RELATIVE_TOLERANCE) -> bool:
    """Whether two values are the same: numbers within `relative`, places within 0.02 degrees.

    Texts agree after folding case and white space; objects and lists field by field.
    """
    wanted, found = number_of(golden), number_of(seen)
    if wanted is not None and found is not None:
        return numbers_agree(wanted, found, relative=relative)
    if isinstance(golden, dict) and isinstance(seen, dict):
        points = point_of(golden), point_of(seen)
        if points[0] is not None and points[1] is not None:
            return points_agree(points[0], points[1])
        return golden.keys() == seen.keys() and all(
            agree(golden[key], seen[key], relative=relative) for key in golden
        )
    if isinstance(golden, list) and isinstance(seen, list):
        return len(golden) == len(seen) and all(
            agree(one, other, relative=relative) for one, other in zip(golden, seen, strict=True)
        )
    return isinstance(golden, str) and isinstance(seen, str) and fold(golden) == fold(seen)


def fold(text: str) -> str:
    """A text without differences of case and white space."""
    return " ".join(text.casefold().split())


def point_of(value: object) -> tuple[float, float] | None:
    """Latitude and longitude from any of the forms in use; None for anything else.

    Forms: `{"latitude", "longitude"}`, `{"lat", "lng"}`, either below `location`, and "lat,lng".
    """
    if isinstance(value, str):
        if value[:1] not in _STARTS_NUMBER:  # most texts, and scoring asks for many
            return None
        parts = [number_of(part) for part in value.split(",")]
        return _pair(*parts) if len(parts) == len(("latitude", "longitude")) else None
    if not isinstance(value, Mapping):
        return None
    place = value.get("location", value)
    if not isinstance(place, Mapping):
        return point_of(place)
    return _pair(number_of(given(place, "latitude")), number_of(given(place, "longitude")))


def points_agree(
    golden: tuple[float, float], seen: tuple[float, float], *, degrees: float = DEGREES_TOLERANCE
) -> bool:
    """Whether two places are within so many degrees of each other, in both directions."""
    most = degrees + 1e-9
    return abs(golden[0] - seen[0]) <= most and abs(golden[1] - seen[1]) <= most


def _pair(latitude: float | None, longitude: float | None) -> tuple[float, float] | None:
    return None if latitude is None or longitude is None else (latitude, longitude)


def _object(text: str) -> dict[str, Any]:
    try:
        result = json.loads(text)
    except (ValueError, RecursionError) as error:  # nested without end, or a number of 4,301 digits
        raise ReadingError(f"the result is no JSON: {_short(text)}") from error
    if not isinstance(result, dict):
        raise ReadingError(f"the result is no JSON object: {_short(text)}")
    fault = result.get("error")
    if isinstance(fault, dict):
        raise ReadingError(f"error result {fault.get('kind')!r}: {fault.get('message')}")
    return result


def _short(text: str) -> str:
    limit = 120
    return text if len(text) <= limit else f"{text[:limit]}..."


def _parsed(token: str) -> int | float | None:
    """The number that a token of `_NUMBER` is; None for one too large for a float."""
    plain = token.replace(",", "")
    number = float(plain)
    if not math.isfinite(number):
        return None
    return int(plain) if len(plain) <= _MOST_DIGITS and plain.lstrip("+-").isdigit() else number


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # an int beyond the largest float
        return False


def _numeric(value: object) -> int | float:
    number = number_of(value)
    if number is None:
        raise TypeError(f"{_short(repr(value))} is not a number")
    return number


def _coordinates(result: dict[str, Any]) -> Value:
    point = point_of(result["location"])
    if point is None:
        raise TypeError(f"{result['location']!r} is no location")
    return {"latitude": point[0], "longitude": point[1]}


def _count(result: dict[str, Any]) -> Value:
    places = result.get("places")
    return len(places) if isinstance(places, list) else int(_numeric(result["count"]))


def _distance(result: dict[str, Any]) -> Value:
    first = result["results"][0]
    if "distance_km" not in first:
        raise KeyError(f"distance_km; status is {first.get('status')}")
    return _numeric(first["distance_km"])


def _field(name: str) -> Callable[[dict[str, Any]], Value]:
    return lambda result: _numeric(result[name])


def _weather(variable: str) -> Callable[[dict[str, Any]], Value]:
    def reader(result: dict[str, Any]) -> Value:
        selected = f"daily.{variable}[0]"
        if selected in result:
            return _numeric(result[selected])
        series = result.get(f"daily.{variable}")
        return _numeric((series if series is not None else result["daily"][variable])[0])

    return reader


def _printed(result: dict[str, Any]) -> Value:
    if "stdout_cut_bytes" in result:
        raise KeyError("the last line of stdout: too much was printed, and the end was cut off")
    for line in reversed(str(result["stdout"]).splitlines()):
        if tokens := _NUMBER.findall(line):
            return _numeric(tokens[-1])
    raise KeyError(f"a number in stdout; stderr is {_short(str(result.get('stderr', '')))!r}")


_READERS: Mapping[str, Callable[[dict[str, Any]], Value]] = {
    "coords": _coordinates,
    "elevation": lambda result: _numeric(result["results"][0]["elevation"]),
    "poi_count": _count,
    "place_rating": lambda result: _numeric(result["places"][0]["rating"]),
    "distance_km": _distance,
    "duration": lambda result: int(_numeric(result["duration_min"])),
    "population": _field("population"),
    "area_km2": _field("area_km2"),
    "stock_price": _field("close_price"),
    "stock_volume": _field("volume"),
    "crypto_price": _field("close_price"),
    "crypto_volume": _field("volume"),
    **{key: _weather(variable) for key, variable in _DAILY.items()},
    "days": _printed,
    "converted": _printed,
    "merged": _printed,
}
