"""Units in words, and the conversions that a clue may ask for."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """One unit into another: `factor` units of `to` make one `one`."""

    start: str
    to: str
    one: str
    factor: str


CONVERSIONS: tuple[Conversion, ...] = (
    Conversion(start="metres", to="feet", one="metre", factor="3.28084"),
    Conversion(start="feet", to="metres", one="foot", factor="0.3048"),
    Conversion(start="kilometres", to="miles", one="kilometre", factor="0.621371"),
    Conversion(
        start="square kilometres", to="square miles", one="square kilometre", factor="0.386102"
    ),
    Conversion(start="miles", to="kilometres", one="mile", factor="1.609344"),
    Conversion(start="square miles", to="square kilometres", one="square mile", factor="2.589988"),
    Conversion(start="hectares", to="acres", one="hectare", factor="2.471054"),
    Conversion(start="minutes", to="seconds", one="minute", factor="60"),
)


def unit_words(unit: str | None) -> str:
    """A unit in words as clues name it; "" without a unit."""
    return _UNIT_WORDS.get(unit or "", unit or "")


_UNIT_WORDS = {
    "m": "metres",
    "ft": "feet",
    "km": "kilometres",
    "km2": "square kilometres",
    "km²": "square kilometres",
    "mi": "miles",
    "sq mi": "square miles",
    "ha": "hectares",
    "min": "minutes",
    "%": "per cent",
    "°C": "degrees Celsius",
}
