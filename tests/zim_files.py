"""ZIM files made by tests, with libzim's own writer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("libzim", reason="needs the extra zim: pip install 'pytest-aar[zim]'")

from libzim.writer import Creator, Hint, Item, StringProvider

FRONT = {Hint.FRONT_ARTICLE: True}
METADATA = {
    "Name": "wikipedia_en_all",
    "Title": "Wikipedia",
    "Language": "eng",
    "Flavour": "nopic",
    "Date": "2026-03-12",
    "Tags": "wikipedia;_category:wikipedia;_pictures:no;_details:yes;_ftindex:yes",
    "Creator": "Wikipedia",
    "Publisher": "the tests",
    "Description": "a few articles of our own",
}

#: What mwoffliner puts around an article's content.
FRAME = """<!doctype html><html><head><meta charset="UTF-8"><title>{title}</title>
<link rel="canonical" href="https://en.wikipedia.org/wiki/{title}"><script src="../-/s.js"></script></head>
<body class="mw-body"><div id="content"><h1 id="titleHeading">{title}</h1>
<div id="mw-content-text"><div class="mw-parser-output">{content}</div>
<div class="zim-footer">This article is issued from <a class="external text"
href="https://en.wikipedia.org/wiki/?title={title}&amp;oldid=1234567">Wikipedia</a>.</div></div></div></body></html>"""

NORLAND = """<style>.infobox{{width:22em}}</style>
<table class="infobox"><tbody><tr><th colspan="2">Norland</th></tr>
<tr><td colspan="2"><a href="./File:Flag.svg"><img src="../I/m/Flag.svg.png" alt="Flag"></a></td></tr>
<tr><th>Capital</th><td><a href="Alpha_(city)" title="Alpha (city)">Alpha</a></td></tr>
<tr><th>Population</th><td>524,930</td></tr></tbody></table>
<p><b>Norland</b> is a country whose granite lighthouses guide ships past
<a href="AC%2FDC_Rock">a rock</a> and <a href="https://norland.test/visit">visitors</a>.</p>
<details data-level="2" open><summary class="section-heading"><h2 id="History">History</h2></summary>
<p>Founded in 1712 at <a href="S%C3%A3o_Zoë">São Zoë</a>.</p>
<details data-level="3" open><summary><h3 id="Kings">Kings</h3></summary><p>Two.</p></details></details>
<h2>Economy</h2><table class="wikitable"><tr><th>Year</th><th>Fish</th></tr>
<tr><td>2020</td><td>31,400</td></tr></table>"""

ARTICLES = {
    "Norland": NORLAND.replace("{{", "{").replace("}}", "}"),
    "Alpha_(city)": "<p>Alpha is a harbour where <a href='Norland#Economy'>Norland</a> trades fish.</p>",
    "AC/DC_Rock": "<p>A rock in the sea of <a href='../Norland'>Norland</a>.</p>",
    "São_Zoë": "<p>A saint.</p>",
    "IPhone": "<p>A telephone.</p>",
    "50%_rule": "<p>Half of it.</p>",
}
REDIRECTS = {"Kingdom_of_Norland": "Norland", "The_Kingdom": "Kingdom_of_Norland"}


class Page(Item):
    """An article of a file."""

    def __init__(self, path: str, title: str, html: str, kind: str = "text/html") -> None:
        super().__init__()
        self.path, self.title, self.html, self.kind = path, title, html, kind

    def get_path(self) -> str:
        return self.path

    def get_title(self) -> str:
        return self.title

    def get_mimetype(self) -> str:
        return self.kind

    def get_contentprovider(self) -> Any:
        return StringProvider(self.html)

    def get_hints(self) -> Any:
        return FRONT


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """What a file is made of: content by path; whole pages as they are; redirects by path."""

    articles: Mapping[str, str] = field(default_factory=lambda: ARTICLES)
    pages: Mapping[str, str] = field(default_factory=dict)
    redirects: Mapping[str, str] = field(default_factory=lambda: REDIRECTS)
    metadata: Mapping[str, str] = field(default_factory=dict)
    is_indexed: bool = True


def titled(path: str) -> str:
    return path.replace("_", " ")


def made_zim(path: Path, recipe: Recipe = Recipe()) -> Path:
    """The file, written. What libzim says meanwhile goes to the captured standard output."""
    made = Creator(path).config_indexing(recipe.is_indexed, "eng").config_nbworkers(1)
    with made.config_clustersize(1024) as creator:
        for name, content in recipe.articles.items():
            html = FRAME.format(title=titled(name), content=content)
            creator.add_item(Page(name, titled(name), html))
        for name, html in recipe.pages.items():
            creator.add_item(Page(name, titled(name), html))
        for name, target in recipe.redirects.items():
            creator.add_redirection(name, titled(name), target, FRONT)
        for key, text in {**METADATA, **recipe.metadata}.items():
            if text:
                creator.add_metadata(key, text)
    return path
