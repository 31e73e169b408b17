"""Whether a leg's digit can still be found: four classes, by the stops whose values flow into it."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from pytest_aar import transforms

from .ancestry import ancestry
from .operands import unknown_literals
from .records import Detour, Leg, PitStop, Roadblock, RouteInfo
from .templates import template_of

ValidityClass = Literal["stable", "stable-if-pinned", "drifting", "faulty"]
CLASSES: tuple[ValidityClass, ...] = get_args(ValidityClass)
#: The classes whose digit an agent can still be expected to find.
PINNED: ValidityClass = "stable-if-pinned"
VALID: tuple[ValidityClass, ...] = ("stable", "stable-if-pinned")

#: Templates whose values change in the real world from month to month.
_DRIFTING = frozenset(
    {
        "poi_count",
        "place_rating",
        "country_population",
        "geocode_directions_duration",
        "geocode_distance",
    }
)
_EDITIONS = "language"
_YEAR = re.compile(r"\byear\b", re.IGNORECASE)
#: What is asked for is a number of something, with a year somewhere in the sentence.
_AMOUNT = re.compile(r"\b(?:number|total|count|issues per|how many)\b", re.IGNORECASE)
_LAST_DAY = 31
_LAST_YEAR = 2100
#: The elevation of the point that Google gives for "United States", and for what it can't place there.
_MIDDLE_OF_THE_STATES = 3236.2353515625
#: Figures of another country, found by a search for a part of the name: (country, figure) -> whose.
_OTHERS: Mapping[tuple[str, float], str] = {
    ("united states", 87146): "the United States Virgin Islands",
    ("united states", 347.0): "the United States Virgin Islands",
    ("united states", 34.2): "the United States Minor Outlying Islands",
    ("china", 7527500): "Hong Kong",
    ("people's republic of china", 7527500): "Hong Kong",
    ("china", 23317031): "Taiwan",
    ("ireland", 69281437): "the United Kingdom",
    ("iran", 15040): "another territory",
    ("iran", 236.0): "another territory",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a leg is of its class: `name` of the fault or drift, the `stop` where it is, and `what` there."""

    name: str
    stop: int
    what: str

    def __str__(self) -> str:
        """One line for people."""
        return f"{self.name}: stop {self.stop}: {self.what}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """The class of a leg and the reasons for it; a stable leg has none."""

    name: ValidityClass
    reasons: tuple[Reason, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether the digit can still be found."""
        return self.name in VALID


def validity_of(leg: Leg) -> Validity:
    """The leg's class: faulty before drifting before stable-if-pinned; the sandbox never changes."""
    needed = [leg.stops[index] for index in sorted(ancestry(leg))]
    faults = (*finish_faults(leg), *(found for stop in needed for found in _stop_faults(leg, stop)))
    if faults:
        return Validity(name="faulty", reasons=faults)
    if leg.is_sandbox:
        return Validity(name="stable")
    drifting = tuple(found for stop in needed if (found := drift_of(stop)) is not None)
    if drifting:
        return Validity(name="drifting", reasons=drifting)
    pages = tuple(
        Reason(name="page", stop=stop.index, what=stop.target)
        for stop in needed
        if isinstance(stop, RouteInfo)
    )
    return Validity(name="stable-if-pinned" if pages else "stable", reasons=pages)


def drift_of(stop: PitStop) -> Reason | None:
    """Why the stop's value changes with time, None if it does not or only with its page."""
    if isinstance(stop, Roadblock):
        name = template_of(stop)
        what = f"{stop.chain[-1].tool} {dict(stop.chain[0].arguments)}"
        return Reason(name=name, stop=stop.index, what=what) if name in _DRIFTING else None
    if isinstance(stop, RouteInfo) and _EDITIONS in stop.target.casefold():
        return Reason(name="language_editions", stop=stop.index, what=stop.target)
    return None


def finish_faults(leg: Leg) -> Iterator[Reason]:
    """Faults of the finish line: `answer_in_clues`, `unknown_operand`."""
    finish = leg.finish
    if _squeezed(finish.expression) in _squeezed(leg.clues):
        yield Reason(name="answer_in_clues", stop=finish.index, what=finish.expression)
    unknown = unknown_operands(leg)
    if unknown:
        told = ", ".join(map(str, unknown))
        yield Reason(
            name="unknown_operand",
            stop=finish.index,
            what=f"{finish.expression} holds {told}, no listed stop's value",
        )


def unknown_operands(leg: Leg) -> tuple[int | float, ...]:
    """The finish line's numbers that are the value of no listed stop."""
    try:
        return unknown_literals(leg.finish, {stop.index: stop.value for stop in leg.stops})
    except ValueError:
        return ()  # it is no expression: another fault


def stop_fault(leg: Leg, stop: PitStop, name: str) -> Reason | None:
    """The fault of that name (see `STOP_FAULTS`) of one stop, whether the digit needs its value or not."""
    what = STOP_FAULTS[name](leg, stop)
    return Reason(name=name, stop=stop.index, what=what) if what else None


def _stop_faults(leg: Leg, stop: PitStop) -> Iterator[Reason]:
    found = (stop_fault(leg, stop, name) for name in STOP_FAULTS)
    return (reason for reason in found if reason is not None)


def _not_a_year(leg: Leg, stop: PitStop) -> str | None:
    """A year was asked for, and the day of a month, or a number beyond all years, is held to be it."""
    del leg
    if not isinstance(stop, RouteInfo) or not asks_for_a_year(stop.target):
        return None
    value = stop.value
    if not isinstance(value, int | float) or value != int(value):
        return None
    is_none = 1 <= value <= _LAST_DAY or value > _LAST_YEAR
    return f"{value} for {stop.target!r}" if is_none else None


def _other_source(leg: Leg, stop: PitStop) -> str | None:
    """A detour's value is not the transform of its source's value."""
    if not isinstance(stop, Detour):
        return None
    source = leg.stops[stop.source].value
    try:
        found = transforms.apply(stop.transform, source)
    except (ValueError, KeyError) as error:
        return f"{stop.transform} of stop {stop.source}'s value {source!r}: {error}"
    if found == stop.value:
        return None
    return f"{stop.transform} of stop {stop.source}'s value {source!r} is {found}, not {stop.value}"


def _no_place(leg: Leg, stop: PitStop) -> str | None:
    """What was geocoded is no place: the middle of the United States came back."""
    del leg
    if not isinstance(stop, Roadblock) or stop.value != _MIDDLE_OF_THE_STATES:
        return None
    return f"{stop.chain[0].arguments.get('address')!r} has the elevation of the middle of the United States"


def _other_country(leg: Leg, stop: PitStop) -> str | None:
    """The golden figure is that of another country with this name in its own."""
    del leg
    if not isinstance(stop, Roadblock) or not isinstance(stop.value, int | float):
        return None
    country = str(stop.chain[-1].arguments.get("country", "")).casefold()
    owner = _OTHERS.get((country, stop.value))
    return f"{stop.value} for {country!r} is the figure of {owner}" if owner else None


def _no_value(leg: Leg, stop: PitStop) -> str | None:
    """A roadblock holds a service's error reply for a value."""
    del leg
    is_reply = isinstance(stop, Roadblock) and isinstance(stop.value, dict | list)
    return f"the value is a reply: {str(stop.value)[:80]}" if is_reply else None


#: The faults of single stops: name -> what is wrong at a stop, None where nothing is.
STOP_FAULTS: Mapping[str, Callable[[Leg, PitStop], str | None]] = {
    "not_a_year": _not_a_year,
    "other_source": _other_source,
    "no_place": _no_place,
    "other_country": _other_country,
    "no_value": _no_value,
}


def asks_for_a_year(target: str) -> bool:
    """Whether a stop's target asks for a year, and not for an amount in one."""
    return bool(_YEAR.search(target)) and not _AMOUNT.search(target)


def _squeezed(text: str) -> str:
    return "".join(text.split())
