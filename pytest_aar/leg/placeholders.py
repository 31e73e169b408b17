"""Argument placeholders of a chain: how a later call takes an earlier call's output.

Outputs are typed values as `pytest_aar.readings` gives them: coordinates are
`{"latitude": .., "longitude": ..}`.
"""

from collections.abc import Mapping
from typing import Any

from .records import Value

FROM_PREVIOUS = "__from_previous"
AS_LOCATIONS = "__from_previous_as_locations"
AS_ORIGINS_DESTINATIONS = "__from_previous_as_origins_destinations"
PLACEHOLDERS = (FROM_PREVIOUS, AS_LOCATIONS, AS_ORIGINS_DESTINATIONS)


def references(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """The output keys that the arguments' placeholders name, in order; () when there are none."""
    keys: list[str] = []
    for name in PLACEHOLDERS:
        if name in arguments:
            keys.extend(_keys(arguments[name]))
    return tuple(keys)


def resolve(arguments: Mapping[str, Any], outputs: Mapping[str, Value]) -> dict[str, Any]:
    """The arguments with every placeholder replaced by the earlier outputs it names.

    Raises KeyError for an output that is not there, ValueError for one of the wrong kind.
    """
    resolved = {name: value for name, value in arguments.items() if name not in PLACEHOLDERS}
    for key in _keys(arguments.get(FROM_PREVIOUS, ())):
        resolved.update(_fields(key, outputs[key]))
    if AS_LOCATIONS in arguments:
        keys = _keys(arguments[AS_LOCATIONS])
        resolved["locations"] = [_fields(key, outputs[key]) for key in keys]
    if AS_ORIGINS_DESTINATIONS in arguments:
        points = [_point(key, outputs[key]) for key in _keys(arguments[AS_ORIGINS_DESTINATIONS])]
        resolved["origins"], resolved["destinations"] = points[:1], points[1:]
    return resolved


def _keys(named: object) -> tuple[str, ...]:
    return (named,) if isinstance(named, str) else tuple(map(str, named))  # type: ignore[call-overload] # leg_file checked that it is a list


def _fields(key: str, output: Value) -> dict[str, Any]:
    if not isinstance(output, dict):
        raise ValueError(f"output {key!r} is {output!r}: it has no fields to pass on")  # noqa: TRY004 - data
    return output


def _point(key: str, output: Value) -> str:
    fields = _fields(key, output)
    return f"{fields['latitude']},{fields['longitude']}"
