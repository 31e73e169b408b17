"""The names that an argument of a tool goes by: what the tools accept is what scoring compares."""

from collections.abc import Mapping
from typing import Any

#: An argument's own name -> the other names that are accepted for it; the first one given counts.
#: One `date` stands for both ends of a range.
ALSO_CALLED: Mapping[str, tuple[str, ...]] = {
    "latitude": ("lat",),
    "longitude": ("lng", "lon"),
    "start_date": ("date",),
    "end_date": ("date",),
}


def names_of(name: str) -> tuple[str, ...]:
    """All names of an argument, its own first."""
    return (name, *ALSO_CALLED.get(name, ()))


def given(arguments: Mapping[str, Any], name: str) -> Any:
    """The value of an argument under any of its names; None where it is left out."""
    return next((arguments[each] for each in names_of(name) if each in arguments), None)


def spelled_out(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with every other name replaced by the names it stands for; own names win."""
    own = {
        name: arguments[alias]
        for name, aliases in ALSO_CALLED.items()
        for alias in reversed(aliases)
        if alias in arguments
    }
    known = {alias for aliases in ALSO_CALLED.values() for alias in aliases}
    return own | {name: value for name, value in arguments.items() if name not in known}
