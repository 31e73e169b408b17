"""The articles of the fake encyclopedia: saved ones, read from a file of markdown, or hand-made ones."""

import json
import lzma
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from .page_markup import article_html

_BEGINS = "From Wikipedia, the free encyclopedia"
_SITE = " - Wikipedia"
_ENDS = 'Retrieved from "<'
_LANGUAGE = re.compile(
    r"^ *\* \[([^\]]+)\]\((https://([a-z-]+)\.wikipedia\.org/wiki/[^\s)]+)", re.MULTILINE
)
_OLDID = re.compile(r"oldid=(\d+)")
_COORDINATES = re.compile(r"^\[Coordinates\]\(/wiki/.*$", re.MULTILINE)
_EDITED = re.compile(r"last edited on (\d+ \w+ \d{4}), at (\d\d:\d\d)")


@dataclass(frozen=True, kw_only=True)
class Article:
    """One article. `body` is its text as markdown, without the page around it.

    `languages` are (code, title, url) of the other editions, `edited` the time of `revision`
    (ISO, UTC). The HTML is made when it is first asked for.
    """

    title: str
    body: str
    languages: tuple[tuple[str, str, str], ...] = ()
    revision: int = 1
    edited: str = "2026-03-01T00:00:00Z"
    page_id: int = 1

    @cached_property
    def html(self) -> str:
        """As in a reply of `action=parse`."""
        return article_html(self.body)


@dataclass(kw_only=True)
class Library:
    """All articles by title, and redirects from titles to titles."""

    articles: dict[str, Article] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, articles: Iterable[Article], redirects: Mapping[str, str] | None = None
    ) -> "Library":
        """A library of these."""
        return cls(
            articles={each.title: each for each in articles}, redirects=dict(redirects or {})
        )

    def add(self, article: Article, *, saved_as: str) -> None:
        """One more article, asked for under another title perhaps."""
        self.articles.setdefault(article.title, article)
        if normal(saved_as) != article.title:
            self.redirects[normal(saved_as)] = article.title

    def find(self, title: str) -> tuple[Article | None, str | None]:
        """The article under a title, and the title that was redirected to it, if one was."""
        asked = normal(title)
        target = self.redirects.get(asked)
        return self.articles.get(target or asked), asked if target else None

    def revision(self, number: int) -> Article | None:
        """The article of which this is the revision."""
        return self._by_revision.get(number)

    @cached_property
    def _by_revision(self) -> dict[int, Article]:
        return {each.revision: each for each in self.articles.values()}

    def search(self, query: str, most: int) -> list[Article]:
        """Articles whose titles share most words with the query, best first."""
        wanted = set(re.findall(r"\w+", query.casefold()))
        scored = [
            (len(wanted & words) / len(words | wanted), title) for title, words in self._words
        ]
        best = sorted((-score, title) for score, title in scored if score)
        return [self.articles[title] for _, title in best[:most]]

    @cached_property
    def _words(self) -> list[tuple[str, set[str]]]:
        return [(title, set(re.findall(r"\w+", title.casefold()))) for title in self.articles]


def normal(title: str) -> str:
    """A title as MediaWiki normalises it: spaces for underscores, the first letter a capital."""
    plain = " ".join(title.replace("_", " ").split())
    return plain[:1].upper() + plain[1:]


def title_in(url: str) -> str:
    """The title in an article's address."""
    return normal(unquote(urlsplit(url).path.removeprefix("/wiki/")))


def saved_library(path: Path, titles: Collection[str] | None = None) -> Library:
    """The articles of a file of saved pages, JSON lines packed with xz; only those titles if given.

    A page that was saved under another title than its own is an article and a redirect to it.
    """
    found = Library()
    for number, row in enumerate(saved_rows(path, titles), 1):
        found.add(article_of(row, number), saved_as=row["title"])
    return found


def saved_rows(path: Path, titles: Collection[str] | None = None) -> Iterator[dict[str, Any]]:
    """The rows of the file: `url`, `title`, `fetched`, `markdown`; it is read no further than the last of `titles`."""
    wanted = {json.dumps(title, ensure_ascii=False).encode() for title in titles or ()}
    with lzma.open(path, "rb") as lines:
        for line in lines:
            title = _title_of(line)
            if titles is None or title in wanted:
                wanted.discard(title)
                yield json.loads(line)
                if titles is not None and not wanted:
                    return


def _title_of(line: bytes) -> bytes:
    """The title as it stands in the line: most lines need not be parsed."""
    found = re.search(rb'"title": ?("(?:[^"\\]|\\.)*")', line[:2_000])
    return found[1] if found else b""


def article_of(row: Mapping[str, Any], page_id: int = 1) -> Article:
    """The article in a saved page, whose markdown holds the page's frame as well."""
    text = row["markdown"]
    begin, end = text.index(_BEGINS), text.rindex(_ENDS)
    head, body = text[:begin], text[begin + len(_BEGINS) : end]
    place = _COORDINATES.search(head)
    revision = _OLDID.search(text, end)
    title = text.partition("\n")[0].removesuffix(_SITE)
    listed = head[head.find("\n# ") :]
    return Article(
        title=title,
        body=f"{place[0]}\n\n{body}" if place else body,
        languages=tuple((code, name, url) for name, url, code in _LANGUAGE.findall(listed)),
        revision=int(revision[1]) if revision else page_id,
        edited=_edited(text[end:]),
        page_id=page_id,
    )


def _edited(tail: str) -> str:
    from datetime import datetime  # noqa: PLC0415 - one use

    found = _EDITED.search(tail)
    if found is None:
        return "2026-03-01T00:00:00Z"
    return datetime.strptime(f"{found[1]} {found[2]}", "%d %B %Y %H:%M").strftime(
        "%Y-%m-%dT%H:%M:00Z"
    )
