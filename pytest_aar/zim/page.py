"""An article's HTML as files hold it -> as `action=parse` gives it: its content alone, links to /wiki/ pages."""

import re
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urljoin, urlsplit

from pytest_aar.article_paths import article_path

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

#: Pages that only send a browser on are this small.
_LARGEST_REFRESH = 4096
_REFRESH = re.compile(
    r"<meta[^>]+http-equiv=[\"']?refresh[^>]*?content=[\"']\s*\d+\s*;\s*url=['\"]?(?P<target>[^\"'>]+)",
    re.IGNORECASE,
)
_HERE = "http://zim/"
_CONTENT = ("#mw-content-text", ".mw-parser-output", "main", "body")
_CHROME = ".zim-footer, .zimfooter, #mw-data-after-content, #titleHeading, script, style"
_REVISION = re.compile(r"[?&]oldid=(\d+)")
_SNIPPET = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """An article's content. `revision` is Wikipedia's number of it, where the file's footer tells."""

    html: str
    revision: int | None


def refresh_target(html: str, path: str) -> str | None:
    """The path that a page sends a browser on to; None for a page to read."""
    found = _REFRESH.search(html) if len(html) <= _LARGEST_REFRESH else None
    return None if found is None else _within(path, unescape(found["target"]))


def content_of(html: str, path: str, *, prefix: str) -> Content:
    """The content of the article at `path`; `prefix` is the namespace of articles, "" in newer files."""
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - 10 ms that only articles need

    tree = LexborHTMLParser(html)
    root = _root_of(tree)
    revision = _taken_footer(tree)
    for node in tree.css(_CHROME):
        node.decompose()
    for link in root.css("a[href]"):
        target = _within(path, link.attributes.get("href") or "")
        if target is not None and target.startswith(prefix):
            name = target.removeprefix(prefix).removesuffix(".html" if prefix else "")
            link.attrs["href"] = f"/wiki/{article_path(name)}"
    return Content(html=f'<div class="mw-parser-output">{root.html}</div>', revision=revision)


def snippet_of(html: str) -> str:
    """How an article begins: the start of its first paragraph that says something."""
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - same

    tree = LexborHTMLParser(html)
    for paragraph in _root_of(tree).css("p"):
        if paragraph.css_first("table, style") is None:
            text = " ".join(paragraph.text().split())
            if text:
                return text if len(text) <= _SNIPPET else f"{text[:_SNIPPET].rsplit(' ', 1)[0]} ..."
    return ""


def _root_of(tree: "LexborHTMLParser") -> "LexborNode":
    for selector in _CONTENT:
        found = tree.css_first(selector)
        if found is not None:
            return found
    assert tree.root is not None  # lexbor makes <html> of anything
    return tree.root


def _taken_footer(tree: "LexborHTMLParser") -> int | None:
    """Take out the line that says where the article is from; the revision that its link names."""
    for link in tree.css('a.external[href*="oldid="]'):
        found = _REVISION.search(link.attributes.get("href") or "")
        if found is not None and link.parent is not None and link.parent.tag == "div":
            link.parent.decompose()
            return int(found[1])
    return None


def _within(path: str, href: str) -> str | None:
    """The path in the file that a link of the page at `path` leads to; None for any other link."""
    if not href or href.startswith(("#", "/")):
        return None
    joined = urljoin(_HERE + quote(path), href)
    if not joined.startswith(_HERE):
        return None
    return unquote(urlsplit(joined).path).removeprefix("/")
