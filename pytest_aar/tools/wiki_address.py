"""Which addresses are articles: of Wikipedia in any language, and of the wiki asked in its place."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from pytest_aar.article_paths import article_url
from pytest_aar.settings import KIWIX
from pytest_aar.tools.endpoints import Endpoints
from pytest_aar.tools.result import ToolFailure

#: The folder of articles in Kiwix files before 2022. Later ones have titles that begin so, such as "A/B testing".
OLD_FOLDER = "A/"
_WIKIPEDIA = "wikipedia.org"
_HOME_LANGUAGE = "en"
#: Languages written in several scripts, whose articles lie below a variant's name as well as below /wiki/.
_CONVERTED = "zh|sr|kk|ku|iu|uz|tg|shi|gan|crh|ban|mni|sh|wuu"
_VARIANT_PATH = re.compile(rf"/((?:{_CONVERTED})(?:-[a-z]+)*)/(.+)")
_TITLE_PATHS = ("/wiki/index.php/", "/w/index.php/", "/index.php/", "/wiki/")
_QUERY_PATHS = ("/w/index.php", "/index.php", "/wiki/index.php", "/wiki/index.html", "/wiki", "/")
_PERMANENT = re.compile(r"special:(?:permalink|permanentlink|diff)/(\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """An article's address: `host` without the mobile label, `title` decoded, with spaces.

    `pages` is where the wiki's articles lie, with a slash at the end. A page may be named by `revision` or by
    `page_id` instead: then `title` may be "". `variant` is the script that was asked for ("zh-hant").
    """

    host: str
    title: str
    revision: str | None = None
    page_id: str | None = None
    variant: str | None = None
    pages: str = ""

    @property
    def language(self) -> str:
        """The label of the language edition."""
        return self.host.split(".")[0]

    @property
    def name(self) -> str:
        """What messages call it."""
        if self.title:
            return self.title
        return f"revision {self.revision}" if self.revision else f"page number {self.page_id}"

    def url(self, title: str) -> str:
        """The canonical address of `title` on the same wiki."""
        return article_url(self.pages or f"https://{self.host}/wiki/", title)


def article_of(url: httpx.URL, endpoints: Endpoints) -> Article | None:
    """The article that a URL names, None for anything else (other hosts and ports, the wiki's other paths).

    Raises:
        ToolFailure: bad_arguments, a revision or page number that is none.
    """
    if url.port is None and _is_wiki(url.host, endpoints.article_hosts):
        host = url.host.replace(".m.", ".").removeprefix("www.").removeprefix("m.")
        host = f"{_HOME_LANGUAGE}.{host}" if host == _WIKIPEDIA else host
        return _named(url, host, path=url.path)
    own = own_wiki(endpoints)
    if not url.host or (url.host, url.port) != (own.host, own.port):
        return None
    start = f"{url.scheme}://{url.netloc.decode()}"
    if endpoints.wikipedia.startswith(KIWIX):
        return _in_kiwix(url, own.path, f"{start}{own.path}/")
    prefix = own.path.removesuffix("/api.php").removesuffix("/w")
    path = url.path.removeprefix(prefix)
    below = next((known for known in _TITLE_PATHS if path.startswith(known)), "/wiki/")
    return _named(url, _HOME_LANGUAGE, path=path, pages=f"{start}{prefix}{below}")


def own_wiki(endpoints: Endpoints) -> httpx.URL:
    """The address that articles are asked at, English where it depends on the language."""
    address = endpoints.wikipedia.removeprefix(KIWIX)
    return httpx.URL(address.replace("{language}", _HOME_LANGUAGE))


def is_of_old_server(book: str) -> bool:
    """Whether the address or path of a Kiwix book is of a server before 3.4, whose files keep articles in a folder."""
    return not book.rpartition("/")[0].endswith("/content")


def _in_kiwix(url: httpx.URL, book: str, pages: str) -> Article | None:
    if not url.path.startswith(f"{book}/"):
        return None
    below = url.path.removeprefix(f"{book}/")
    title = _spelled(below.removeprefix(OLD_FOLDER) if is_of_old_server(book) else below)
    return Article(host=_HOME_LANGUAGE, title=title, pages=pages) if title else None


def _named(url: httpx.URL, host: str, *, path: str, pages: str = "") -> Article | None:
    query = url.params
    variant, title = query.get("variant"), ""
    below = _VARIANT_PATH.fullmatch(path)
    start = next((known for known in _TITLE_PATHS if path.startswith(known)), None)
    if below and below[1].startswith(host.split(".", maxsplit=1)[0]):
        variant, title = below[1], below[2]
    elif path in _QUERY_PATHS:
        title = query.get("title", "") or ("Special:Search" if "search" in query else "")
    elif start is not None:
        title = path.removeprefix(start)
    else:
        return None
    title = _spelled(title)
    permanent = _PERMANENT.fullmatch(title)
    revision = permanent[1] if permanent else _number(query, "oldid") or _number(query, "diff")
    page_id = None if title else _number(query, "curid")
    if not (title or revision or page_id):
        return None
    return Article(
        host=host,
        title="" if permanent else title,
        revision=revision,
        page_id=page_id,
        variant=variant,
        pages=pages,
    )


def _number(query: Mapping[str, str], name: str) -> str | None:
    text = query.get(name)
    if text is None or text in ("prev", "next", "cur"):
        return None
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise ToolFailure("bad_arguments", f"url: {name}= takes a number, got {text!r}")
    return text


def _spelled(title: str) -> str:
    return " ".join(title.replace("_", " ").split())


def _is_wiki(host: str, hosts: tuple[str, ...]) -> bool:
    return any(host == known or host.endswith(f".{known}") for known in hosts)
