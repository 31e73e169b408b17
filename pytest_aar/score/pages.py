"""Which golden pages a race visited: pages are compared by canonical title, redirects followed."""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qs, unquote, urlsplit

from pytest_aar.leg import Leg
from pytest_aar.sandbox_hosts import WIKI_HOST
from pytest_aar.trace import Trace

FETCH = "fetch_webpage"
_WIKIPEDIA = ".wikipedia.org"
_HOME_LANGUAGE = "en"


def canonical_title(url: str) -> str:
    """The page that a URL names, in one spelling.

    Percent-decoding, underscores, the first letter's case, the mobile host, fragment and query make
    no difference. Other languages keep theirs in front ("de:Bonn"), pages elsewhere their host.
    A text without a host is taken as a title.
    """
    if "//" not in url:
        return _spelled(url)
    try:
        parts = urlsplit(url.strip())
    except ValueError:  # an unclosed bracket: no URL
        return _spelled(url)
    host = (parts.hostname or "").removeprefix("www.")
    language = _language(host)
    if language is None:
        return f"{host}{unquote(parts.path).rstrip('/')}"
    title = _spelled(unquote(_title_part(parts.path, parts.query)))
    return title if language == _HOME_LANGUAGE else f"{language}:{title}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Visits:
    """`titles` that were fetched successfully, requested and final; `redirects` seen on the way."""

    titles: frozenset[str]
    redirects: Mapping[str, str]


def visits_of(trace: Trace) -> Visits:
    """The pages that a trace's fetches reached."""
    titles: set[str] = set()
    redirects: dict[str, str] = {}
    for call in trace.tool_calls:
        url = call.arguments.get("url")
        if call.name != FETCH or not call.ok or not isinstance(url, str):
            continue
        requested = canonical_title(url)
        final = canonical_title(call.final_url) if call.final_url else requested
        titles |= {requested, final}
        if final != requested:
            redirects[requested] = final
    return Visits(titles=frozenset(titles), redirects=redirects)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """A leg's golden pages in a race: `visited` by stop index, `page` the page's one name."""

    page: Mapping[int, str]
    visited: Mapping[int, bool]
    seed: str
    unresolved: int

    def rate(self, stops: Iterable[int]) -> float | None:
        """Distinct pages visited / distinct pages, of the given stops; None without any."""
        pages = {self.page[index]: self.visited[index] for index in stops if index in self.page}
        return sum(pages.values()) / len(pages) if pages else None

    def without_seed(self) -> tuple[int, ...]:
        """The route-info stops whose page is not the seed page, which the agent is given."""
        return tuple(index for index, page in self.page.items() if page != self.seed)


def pages_of(leg: Leg, trace: Trace, titles: Mapping[str, str] | None) -> Pages:
    """The golden pages of a leg, and which of them a trace visited.

    `titles` maps a page's title to the one it redirects to (or to itself, where it is no redirect);
    `unresolved` counts the pages that neither it nor the trace knows.
    """
    visits = visits_of(trace)
    known = {canonical_title(old): canonical_title(new) for old, new in (titles or {}).items()}
    final = dict(visits.redirects) | known
    written = {stop.index: canonical_title(stop.page_url or "") for stop in leg.route_infos}
    page = {index: final.get(title, title) for index, title in written.items()}
    reached = {page[index] for index, title in written.items() if title in visits.titles}
    reached |= visits.titles
    seed = canonical_title(leg.seed_url)
    return Pages(
        page=page,
        visited={index: name in reached for index, name in page.items()},
        seed=final.get(seed, seed),
        unresolved=len({t for t in written.values() if t not in known and t not in visits.titles}),
    )


def _language(host: str) -> str | None:
    if host == WIKI_HOST:
        return _HOME_LANGUAGE
    if host.endswith(_WIKIPEDIA):
        return host.removesuffix(_WIKIPEDIA).split(".")[0]
    return _HOME_LANGUAGE if host == _WIKIPEDIA.removeprefix(".") else None


def _title_part(path: str, query: str) -> str:
    if path.endswith("/index.php") and (titles := parse_qs(query).get("title")):
        return titles[0]
    return path.removeprefix("/wiki/").lstrip("/")


def _spelled(title: str) -> str:
    plain = " ".join(unicodedata.normalize("NFC", title).replace("_", " ").split())
    return plain[:1].upper() + plain[1:]
