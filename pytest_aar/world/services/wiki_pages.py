"""What the actions of api.php share: the call, its errors, page ids, language editions."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import log10
from typing import TYPE_CHECKING, Any

from pytest_aar.sandbox_hosts import WIKI_BASE
from pytest_aar.world.records import Page
from pytest_aar.world.render import page_url
from pytest_aar.world.seeded import draw, unit

if TYPE_CHECKING:
    from pytest_aar.world.store import World

#: Page ids and revision ids are the page's number with this added.
PAGE_ID = 1001
REVISION_ID = 900_000_001
MAX_TITLE_BYTES = 255
_FORBIDDEN = set("<>[]{}|#")
#: (least, most) language editions of a kind; cities and countries grow with their size.
_EDITIONS = {"country": (140, 260), "continent": (200, 260), "subregion": (60, 120)}
_EDITIONS |= {"language": (20, 130), "mountain": (15, 90), "river": (40, 120), "lake": (25, 90)}
_EDITIONS |= {"region": (15, 80), "airport": (2, 28), "list": (1, 6), "disambiguation": (2, 20)}


class ApiError(Exception):
    """An error that the API answers with HTTP 200 and an `error` object."""

    def __init__(self, code: str, info: str) -> None:
        super().__init__(info)
        self.code, self.info = code, info


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of api.php; `modern` is formatversion 2."""

    world: "World"
    query: Mapping[str, str]
    modern: bool

    def values(self, name: str, default: str = "") -> list[str]:
        """A multi-value parameter."""
        return [value for value in self.query.get(name, default).split("|") if value]

    def flag(self, name: str) -> bool:
        """A boolean parameter: there, with any value, is true."""
        return name in self.query

    def number(self, name: str, default: int, most: int) -> int:
        """A limit: "max" is the most; what isn't a number is an error."""
        text = self.query.get(name, str(default))
        if text == "max":
            return most
        if not text.isdecimal():
            raise ApiError("badinteger", f'Invalid value "{text}" for integer parameter "{name}".')
        return min(int(text), most)

    @property
    def flagged(self) -> Any:
        """A true flag as the format version shows it."""
        return True if self.modern else ""


def invalid_reason(title: str) -> str | None:
    """Why a title can't be one, or None."""
    bad = next((char for char in title if char in _FORBIDDEN or ord(char) < ord(" ")), None)
    if bad is not None:
        return f'The requested page title contains invalid characters: "{bad}".'
    if not title.strip(" _"):
        return "The requested page title is empty or contains only the name of a namespace."
    if len(title.encode()) > MAX_TITLE_BYTES:
        return "The requested page title is too long. It must be no longer than 255 bytes."
    return None


def full_url(title: str) -> str:
    """The page's address."""
    return WIKI_BASE + page_url(title)


def edition_count(page: Page, size: int) -> int:
    """In how many other languages the page is said to exist (invented)."""
    if page.kind == "city":
        return round(4 + 11 * max(0.0, log10(size + 1) - 2) + 30 * unit("editions", page.number))
    low, high = _EDITIONS.get(page.kind, (0, 0))
    return low + draw("editions", page.number) % (high - low + 1)


@lru_cache(maxsize=4)
def _editions(codes: tuple[str, ...]) -> tuple[str, ...]:
    """Language codes, the edition with the most pages first (invented)."""
    return tuple(sorted(codes, key=lambda code: draw("edition", code)))


def language_links(world: "World", page: Page) -> list[tuple[str, str]]:
    """The page's other editions as (code, language name), by code."""
    names = world.languages
    order = _editions(tuple(names))
    count = min(len(order), edition_count(page, world.summary(page.number).size))
    return [(code, names[code]) for code in sorted(order[:count])]
