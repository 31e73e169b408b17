"""Names of mountains, rivers and lakes out of the Factbook's notes."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_aar.world.build.factbook import clean
from pytest_aar.world.build.sources import CountrySource
from pytest_aar.world.text import fold

_RIVER_WORDS = re.compile(r"\b(?:River|Rio|Río|He|Nile|Darya)\b")
#: Great lakes that the Factbook names by one word, as "Erie*".
_ONE_WORD_LAKES = {
    *("Erie", "Huron", "Ontario", "Superior", "Michigan", "Champlain", "Okeechobee"),
    *("Pontchartrain", "Saint Clair", "Belcharof", "Iliamna", "Selawik"),
}
_SUFFIX_LAKES = {"Great Salt", "Red"}
_SUMMIT_WORDS = (
    "airik island",
    " range",
    "gardens",
    "border post",
    "golf",
    "village",
    "island,",
    "summit",
    " bight",
    "bluff",
)
MAX_NAME, MIN_NAME = 40, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """A natural feature: the countries it belongs to and its measure (m, km or km2)."""

    key: str
    name: str
    countries: tuple[str, ...]
    measure: float | None
    aliases: tuple[str, ...] = ()
    note: str = ""


def summit_name(text: str | None) -> str | None:
    """The mountain's name out of a note, or None when the note names no mountain."""
    if not text:
        return None
    name = re.split(r"\s*[(,]| on | of Mount ", " ".join(clean(text)))[0].strip()
    name = name.replace("Mt. ", "Mount ").replace(" volcano pre-eruption height was", "")
    bad = any(word in name.casefold() for word in _SUMMIT_WORDS)
    if bad or not name[:1].isupper() or len(name) > MAX_NAME or len(name) < MIN_NAME:
        return None
    return name


def river_names(text: str) -> tuple[str, str | None] | None:
    """The river's title name and the name it is also called, or None for a stray note."""
    text = re.sub(r"\s*\[[sm]\]|\s+source$|\s+river source.*$", "", " ".join(clean(text))).strip()
    if not text[:1].isupper():
        return None
    found = re.match(r"(.+?)\s*\(([^)]+)\)", text)
    local = found[1] if found else None
    name = re.sub(r"\s+river$", "", found[2] if found else text)
    name = name.split("/")[-1].strip()
    if found is None:
        name = re.sub(r"^Rio (?=Limpopo)", "", name)
    return name, local


def lake_name(text: str, country: str) -> str | None:
    """The lake's name out of a note, or None for a stray note."""
    text = re.split(r"\s+[-\u2013]\s+|\s*\(|\*|/", " ".join(clean(text)))[0]
    name = re.sub(r"\s+[\d,]+ sq km.*$", "", text).strip()
    if not name[:1].isupper() or len(name) > MAX_NAME:
        return None
    if country in {"US", "CA"} and name in _ONE_WORD_LAKES:
        return f"Lake {name}"
    if country == "US" and name in _SUFFIX_LAKES:
        return f"{name} Lake"
    return name


def area_of(area: float | None, name: str, label: str) -> float | None:
    """The lake's area: a figure in the name's note is surer than the table (Toba: 70,000)."""
    in_name = re.search(r"([\d,]+)\s*sq km", name)
    found = in_name or (re.search(r"([\d,]+)\s*sq km", label) if area is None else None)
    return float(found[1].replace(",", "")) if found else area


def _gather(
    kind: str, entries: Iterable[tuple[str, str, float | None, str | None]]
) -> list[Feature]:
    groups: dict[str, list[tuple[str, str, float | None, str | None]]] = {}
    for entry in entries:
        groups.setdefault(fold(entry[0]), []).append(entry)
    features = []
    for name, group in sorted(groups.items()):
        measures = [measure for _, _, measure, _ in group if measure is not None]
        title = max((entry[0] for entry in group), key=lambda text: (not text.isascii(), text))
        features.append(
            Feature(
                key=f"{kind}:{name}",
                name=title,
                countries=tuple(dict.fromkeys(country for _, country, _, _ in group)),
                measure=max(measures) if measures else None,
                aliases=tuple(dict.fromkeys(alias for *_, alias in group if alias)),
            )
        )
    return features


def mountains(countries: Iterable[CountrySource]) -> list[Feature]:
    """The highest points that have a proper name; one shared by two countries is one mountain."""
    found = (
        (name, country.alpha2, country.physical["highest_point_elevation_m"], None)
        for country in countries
        if (name := summit_name(country.physical.get("highest_point_name")))
        and country.physical["highest_point_elevation_m"]
    )
    return _gather("mountain", found)


def rivers(countries: Iterable[CountrySource]) -> list[Feature]:
    """The Factbook's major rivers; names in several languages are joined."""
    found = []
    for country in countries:
        for text, length in country.rivers:
            names = river_names(text)
            if names is not None:
                found.append((names[0], country.alpha2, length, names[1]))
    return _gather("river", found)


def river_title(name: str) -> str:
    """Danube -> Danube River, unless the name says river already."""
    return name if _RIVER_WORDS.search(name) else f"{name} River"


def lakes(countries: Iterable[CountrySource]) -> list[Feature]:
    """The Factbook's major lakes."""
    found = []
    for country in countries:
        for text, area, _, label in country.lakes:
            name = lake_name(text, country.alpha2)
            if name is not None:
                found.append((name, country.alpha2, area_of(area, text, label), None))
    return _gather("lake", found)
