"""Reading the CIA World Factbook's texts: cleaning, quantities, dates."""

import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_TAG = re.compile(r"<[^>]*>")
_BREAK = re.compile(r"<\s*(?:br|/p|p)[^>]*>", re.IGNORECASE)
_QUANTITY = re.compile(
    r"^\$?\s*(?P<number>-?\d[\d,]*(?:\.\d+)?)\s*(?P<scale>million|billion|trillion)?\s*"
    r"(?P<unit>%|sq km|cu m|cu km|km|m\b|years|nm|deaths/1,000 population|births/1,000 population)?"
)
_SCALES = {"million": 10**6, "billion": 10**9, "trillion": 10**12}
_UNITS = {"sq km": "km2", "cu m": "m3", "cu km": "km3", "%": "percent"}
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_DATE = re.compile(rf"\b(\d{{1,2}}) ({'|'.join(_MONTHS)}) (\d{{4}})\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number read from a text, in its plain unit (no millions)."""

    value: int | float
    unit: str | None


def clean(text: str) -> list[str]:
    """The paragraphs of a Factbook text: entities decoded, tags dropped, blanks joined."""
    decoded = html.unescape(html.unescape(text)).replace("\xa0", " ")
    parts = _BREAK.sub("\n", decoded).split("\n")
    return [line for part in parts if (line := " ".join(_TAG.sub("", part).split()))]


def quantity(text: str) -> Quantity | None:
    """The number at the beginning of a text, or None."""
    found = _QUANTITY.match(text)
    if found is None:
        return None
    number = float(found["number"].replace(",", "")) * _SCALES.get(found["scale"] or "", 1)
    unit = found["unit"]
    if unit is None and text.startswith("$"):
        unit = "USD"
    value = round(number) if abs(number - round(number)) < 1e-9 * max(1, number) else number
    return Quantity(value=value, unit=_UNITS.get(unit, unit) if unit else None)


def iso_date(text: str) -> str | None:
    """The first full date of a text as YYYY-MM-DD, or None."""
    found = _DATE.search(text)
    if found is None:
        return None
    day, month, year = int(found[1]), _MONTHS.index(found[2]) + 1, found[3]
    return f"{year}-{month:02d}-{day:02d}"


def only_date(text: str) -> str | None:
    """The full date of a text that has exactly one: with two, nobody could say which is meant."""
    return iso_date(text) if len(_DATE.findall(text)) == 1 else None


class Profile:
    """One country's profile: texts by section and field; both are stripped of stray blanks."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self._fields = {
            (section, name.strip()): content
            for section, fields in raw.items()
            for name, content in fields.items()
        }

    def text(self, section: str, name: str, part: str | None = None) -> str | None:
        """A field's text on one line, or None."""
        paragraphs = self.paragraphs(section, name, part)
        return " ".join(paragraphs) or None

    def paragraphs(self, section: str, name: str, part: str | None = None) -> list[str]:
        """A field's paragraphs, [] when it is missing."""
        content = self._fields.get((section, name), {})
        if part is not None:
            content = next((v for k, v in content.items() if k.strip() == part), {})
        text = content.get("text") if isinstance(content, dict) else None
        return clean(text) if isinstance(text, str) else []

    def parts(self, section: str, name: str) -> list[tuple[str, str]]:
        """The named parts of a field as (name, text)."""
        content = self._fields.get((section, name), {})
        found = []
        for key in content:
            text = self.text(section, name, key.strip()) if key.strip() != "text" else None
            if text and key.strip() != "note":
                found.append((key.strip(), text))
        return found


def read_profiles(folder: Path) -> dict[str, Profile]:
    """All profiles by the stem of their file."""
    return {
        path.stem: Profile(json.loads(path.read_text("utf-8")))
        for path in sorted(folder.glob("*/*.json"))
    }
