"""Points of interest in the shapes of Google Places (New). All of them are invented."""

import re
from dataclasses import dataclass
from math import log10
from typing import TYPE_CHECKING, Any

from pytest_aar.world.geodesy import Point
from pytest_aar.world.names import base_name
from pytest_aar.world.records import Summary
from pytest_aar.world.seeded import between, draw
from pytest_aar.world.services.answers import (
    SYNTHETIC,
    Answer,
    Request,
    google_error,
    json_answer,
)
from pytest_aar.world.services.geocoding import formatted_address, page_of, place_id
from pytest_aar.world.text import fold

if TYPE_CHECKING:
    from pytest_aar.world.store import World

PAGE_SIZE = 20
#: Kind of place -> other words for it. Plurals are understood.
KINDS = {
    "restaurant": ("diner", "eatery"),
    "museum": (),
    "hotel": ("lodging", "hostel"),
    "park": ("garden",),
    "cafe": ("coffee shop", "coffee"),
    "library": (),
    "hospital": ("clinic",),
    "theater": ("theatre", "playhouse"),
    "bakery": (),
    "bank": (),
    "school": (),
    "church": (),
    "pharmacy": ("drugstore",),
    "bookstore": ("bookshop", "book store"),
    "art gallery": ("gallery",),
    "zoo": (),
    "stadium": ("sports arena",),
    "university": ("college",),
    "supermarket": ("grocery store",),
    "gym": ("fitness center",),
    "bar": ("pub",),
    "cinema": ("movie theater",),
    "tourist attraction": ("landmark", "attraction", "sight"),
    "shopping mall": ("mall", "shopping center"),
    "post office": (),
    "police station": (),
    "gas station": ("petrol station",),
    "temple": (),
    "mosque": (),
    "beach": (),
}
_ORDER = tuple(KINDS)
_WORDS = {word: kind for kind, others in KINDS.items() for word in (kind, *others)}
_FIRST = (
    *("Old", "Royal", "Green", "Harbour", "Golden", "Garden", "Northern", "Silver", "Lantern"),
    *("Corner", "Hilltop", "Grand", "Little", "Station", "Bridge", "Sunny", "Market", "Blue"),
    *("Quiet", "Central"),
)
_STREETS = ("Market Street", "Station Road", "Mill Lane", "High Street", "Harbour Road")
_IN = re.compile(r"^(?P<what>.+?)\s+(?:in|near|at|around|of|close to)\s+(?P<where>.+)$")
_NO_MASK = (
    "FieldMask is a required parameter. See "
    "https://cloud.google.com/apis/docs/system-parameters#definitions"
)
_SMALLEST, _LARGEST = 4, 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """What a search is for: a kind of place near a page's place."""

    kind: str
    near: Summary


def kind_of(text: str) -> str | None:
    """The kind of place a text speaks of, or None."""
    text = f" {fold(text)} "
    forms = {
        form: kind
        for word, kind in _WORDS.items()
        for form in (word, f"{word}s", f"{word}es", f"{word[:-1]}ies")
    }
    found = [form for form in forms if f" {form} " in text]
    return forms[max(found, key=len)] if found else None


def count_of(sought: Sought) -> int:
    """How many such places there are: 1 to 20, more in larger cities."""
    size = max(sought.near.size, 5000)
    most = min(_LARGEST, max(_SMALLEST, round(4 + 5.5 * log10(size / 5000))))
    return 1 + draw("places", sought.near.number, sought.kind) % most


def place(world: "World", sought: Sought, index: int) -> dict[str, Any]:
    """The place with this index among those of its kind."""
    key = (sought.near.number, sought.kind, index)
    city = base_name(sought.near.title, sought.near.kind)
    point = sought.near.location or (0.0, 0.0)
    words = _FIRST[(draw("name", *key[:2]) + index) % len(_FIRST)]
    street = _STREETS[draw("street", *key) % len(_STREETS)]
    address = f"{1 + draw('house', *key) % 180} {street}, {formatted_address(world, sought.near)}"
    return {
        "id": f"aar-poi-{sought.near.number}-{_ORDER.index(sought.kind)}-{index}",
        "displayName": {"text": f"{words} {city} {sought.kind.title()}", "languageCode": "en"},
        "formattedAddress": address,
        "location": _near(point, key),
        "types": [sought.kind.replace(" ", "_"), "point_of_interest", "establishment"],
        "rating": round(between(2.8, 5.0, "rating", *key), 1),
        "userRatingCount": 3 + round(10 ** between(0.5, 3.6, "ratings", *key)),
        "businessStatus": "OPERATIONAL",
    }


def _near(point: Point, key: tuple[object, ...]) -> dict[str, float]:
    return {
        "latitude": round(min(90.0, point[0] + between(-0.03, 0.03, "north", *key)), 6),
        "longitude": round(point[1] + between(-0.03, 0.03, "east", *key), 6),
    }


def _page_place(world: "World", found: Summary) -> dict[str, Any]:
    point = found.location or (0.0, 0.0)
    return {
        "id": place_id(found),
        "displayName": {"text": base_name(found.title, found.kind), "languageCode": "en"},
        "formattedAddress": formatted_address(world, found),
        "location": {"latitude": point[0], "longitude": point[1]},
        "types": [found.kind],
    }


def _sought(world: "World", text: str, body: dict[str, Any]) -> Sought | None:
    parts = _IN.match(" ".join(text.split()))
    kind = kind_of(parts["what"] if parts else text)
    if kind is None:
        return None
    near = _named(world, parts["where"]) if parts else None
    area = body.get("locationRestriction") or body.get("locationBias") or {}
    if near is None and not parts and "circle" in area:
        center = area["circle"]["center"]
        point = (float(center["latitude"]), float(center["longitude"]))
        near = world.gazetteer.nearest_city(point)
    return Sought(kind=kind, near=near) if near else None


def _named(world: "World", name: str) -> Summary | None:
    matches = world.gazetteer.find(name)
    return matches[0].place if matches else None


def search_text(world: "World", request: Request) -> Answer:
    """`POST /v1/places:searchText`; no hit is an empty object."""
    mask = request.headers.get("x-goog-fieldmask")
    if mask is None:
        return google_error(400, _NO_MASK)
    try:
        body = request.json()
        text = body.get("textQuery")
        size = int(body.get("pageSize") or body.get("maxResultCount") or PAGE_SIZE)
        start = int(str(body.get("pageToken") or "aar-0").removeprefix("aar-"))
        if not isinstance(text, str) or not text.strip():
            return google_error(400, "Empty text_query.")
        found = _all(world, text, body)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        return google_error(400, f"Invalid JSON payload received. {error}")
    if not found:
        return json_answer({})
    stop = start + min(max(size, 1), PAGE_SIZE)
    reply: dict[str, Any] = {"places": [_masked(p, mask, "places.") for p in found[start:stop]]}
    if stop < len(found):
        reply["nextPageToken"] = f"aar-{stop}"
    return json_answer(reply | {"sandbox": SYNTHETIC})


def _all(world: "World", text: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    sought = _sought(world, text, body)
    if sought is not None:
        return [place(world, sought, index) for index in range(count_of(sought))]
    named = _named(world, text)
    return [_page_place(world, named)] if named else []


def _masked(item: dict[str, Any], mask: str, prefix: str) -> dict[str, Any]:
    """Only the fields that the mask names."""
    names = [name.strip().removeprefix(prefix) for name in mask.split(",")]
    if "*" in names or prefix.rstrip(".") in names:
        return item
    wanted = {name.split(".")[0] for name in names}
    return {name: value for name, value in item.items() if name in wanted}


def details(world: "World", request: Request) -> Answer:
    """`GET /v1/places/ID`."""
    mask = request.headers.get("x-goog-fieldmask") or request.query.get("fields")
    if mask is None:
        return google_error(400, _NO_MASK)
    wanted = request.path.removeprefix("/v1/places/")
    found = _by_id(world, wanted)
    if found is None:
        return google_error(404, f"The Place ID {wanted!r} is unknown here.", "NOT_FOUND")
    return json_answer(_masked(found, mask, "places.") | {"sandbox": SYNTHETIC})


def _by_id(world: "World", wanted: str) -> dict[str, Any] | None:
    page = page_of(world, wanted)
    if page is not None:
        return _page_place(world, page)
    parts = re.fullmatch(r"aar-poi-(\d+)-(\d+)-(\d+)", wanted)
    if parts is None:
        return None
    number, kind, index = (int(part) for part in parts.groups())
    if number >= len(world) or kind >= len(_ORDER):
        return None
    near = world.summary(number)
    sought = Sought(kind=_ORDER[kind], near=near)
    return place(world, sought, index) if near.location and index < count_of(sought) else None
