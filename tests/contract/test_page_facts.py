"""Real articles: what another parser finds in their HTML stands in the markdown, and nothing of the rest.

Texts are compared without white space and without the marks of the markdown: links' targets, `|`, `;` and
`·` between cells and lines, `^` and `_` of powers and indices, backslashes; powers as plain digits (NFKC).
"""

import copy
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote

import pytest
from lxml import html as lxml_html
from lxml.html import HtmlElement

from pytest_aar.tools.page_text import PageText, page_text

#: Rows of tables, headings, sentences, links that each article yields at least, so that a list of facts that
#: lost its way does not pass for a page without faults.
ARTICLES = {
    "excerpt_bolton_lead": (19, 0, 8, 18),
    "excerpt_dog_parsoid_lead_infobox": (17, 0, 15, 37),
    "excerpt_michael_lewis_infobox": (26, 0, 16, 28),
    "excerpt_new_zealand_2019_lead_infobox": (41, 0, 39, 130),
    "excerpt_obama_lead": (25, 0, 41, 94),
    "excerpt_planet_lead": (1, 0, 34, 65),
    "excerpt_united_states_parsoid_lead_infobox": (51, 0, 50, 144),
    "html_films_time_loops_2024_tables": (73, 2, 236, 138),
    "html_hermitian_matrix_2020_math": (0, 12, 153, 56),
    "html_mozilla_2016_infobox": (7, 36, 364, 144),
    "html_new_zealand_2019_infobox_1MB": (48, 29, 1822, 764),
    "parse_text_cat_mobileformat_2024_650kB": (39, 41, 1786, 556),
    "parsoid_dog_rest_v1_page_html_875kB": (19, 46, 1274, 456),
}
READ = {f"wikipedia_html/{name}.html" for name in ARTICLES}
_MARKS = re.compile(r"[\s|;·^_\\\ufeff\u200b\u2060\u00ad]+")
_TARGET = r"(?:[^()\s]|\([^()\s]*\))*"
_LINK = re.compile(rf"\[([^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*)\]\({_TARGET}\)")
_LINE_MARK = re.compile(r"^ *(?:> )*(?:- |\d+\. |#+ )?", re.MULTILINE)
_WIKI = "https://en.wikipedia.org/wiki/"
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_WORD = re.compile(r"[^\W\d_]{4,}")
_BLOCKS = {"p", "div", "li", "dd", "dt", "tr", "td", "th", "ul", "ol", "dl", "table", "br", "hr"}
_MATH = "\x01"


def _class(*names: str) -> str:
    return " or ".join(f"contains(concat(' ', @class, ' '), ' {name} ')" for name in names)


# fmt: off
_NOISE = f"""//script | //style | //noscript | //template | //head
    | //*[{_class("mw-editsection", "mw-cite-backlink", "navbar", "toc", "mw-jump-link", "mw-linkback-text")}]
    | //*[contains(@class, 'navbox')] | //*[@rel='mw:referencedBy']
    | //*[{_class("Inline-Template")}] | //sup[{_class("reference", "mw-ref", "asof-tag")}]"""
_HIDDEN = "//*[contains(translate(@style, ' D', 'd'), 'display:none')]"
_ASIDE = f"""//*[{_class("ambox", "portal", "portalbox", "shortdescription", "cs1-maint", "citation-comment",
    "cs1-hidden-error", "Z3988", "taxobox-edit-taxonomy", "noprint portal")}] | //audio | //video | //comment()"""
# fmt: on


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    content: HtmlElement
    noise: str
    page: PageText
    flat: str
    lines: tuple[str, ...]
    targets: frozenset[str]


def squash(text: str) -> str:
    return _MARKS.sub("", unicodedata.normalize("NFKC", text))


def without_links(markdown: str) -> str:
    return _LINK.sub(r"\1", markdown)


def text_of(element: HtmlElement) -> str:
    """The text with a space where a block or line ends; formulas as one mark."""
    return " ".join("".join(_pieces(element)).split())


def _pieces(element: HtmlElement) -> Iterator[str]:
    is_math = "mwe-math-element" in (element.get("class") or "") or element.tag == "math"
    if is_math or (element.tag == "img" and "mwe-math" in (element.get("class") or "")):
        yield _MATH
        return
    edge = " " if element.tag in _BLOCKS else ""
    yield edge
    yield element.text or ""
    for child in element:
        yield from _pieces(child)
        yield child.tail or ""
    yield edge


def _cut(tree: HtmlElement, xpath: str) -> list[str]:
    texts = []
    for element in tree.xpath(xpath):
        if element.xpath("ancestor-or-self::*[contains(@class, 'mwe-math')]"):
            continue
        texts.append(" ".join(element.itertext()) if isinstance(element.tag, str) else "")
        if element.getparent() is not None:
            element.drop_tree()
    return texts


@lru_cache(maxsize=len(ARTICLES))
def _article(path: Path) -> Article:
    source = path.read_text()
    page = page_text(source, title="T")
    tree = lxml_html.document_fromstring(source)
    noise = _cut(tree, _NOISE) + _cut(tree, _HIDDEN)
    _cut(tree, _ASIDE)
    roots = tree.xpath(f"//*[{_class('mw-parser-output')}]") or tree.xpath(
        "//*[@id='mw-content-text']"
    )
    body = "\n\n".join(page.blocks)
    return Article(
        content=copy.deepcopy(max(roots, key=len) if roots else tree.body),
        noise=" ".join(noise),
        page=page,
        flat=squash(_LINE_MARK.sub("", without_links(body))),
        lines=tuple(squash(without_links(line)) for line in body.split("\n") if "| " in line),
        targets=frozenset(re.findall(rf"\]\(((?:{_WIKI}|/wiki/){_TARGET})\)", body)),
    )


@pytest.fixture(params=ARTICLES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def article(shared: Path, name: str) -> Article:
    return _article(shared / f"data/contracts/wikipedia_html/{name}.html")


def rows_of(article: Article) -> Iterator[list[str]]:
    """The cells' texts of each row that stands in an infobox or in another table of the content."""
    for row in article.content.xpath(".//tr"):
        cells = [cell for cell in row if cell.tag in {"td", "th"}]
        if not row.xpath(".//table"):
            texts = [squash(text_of(cell)) for cell in cells]
            if any(texts) and not any(_MATH in text for text in texts):
                yield [text for text in texts if text]


def in_order(texts: Iterable[str], line: str) -> bool:
    place = 0
    for text in texts:
        found = line.find(text, place)
        if found < 0:
            return False
        place = found + len(text)
    return True


def test_cells_of_a_row_stand_in_one_line_in_their_order(article: Article, name: str) -> None:
    rows = list(rows_of(article))
    lines = "\n".join(article.lines)
    lost = [
        row
        for row in rows
        if not (len(row) == 1 and row[0] in article.flat)
        and not (
            all(text in lines for text in row) and any(in_order(row, x) for x in article.lines)
        )
    ]
    assert lost == []
    assert len(rows) >= ARTICLES[name][0]


def test_every_heading_is_in_the_outline(article: Article, name: str) -> None:
    headings = article.content.xpath(".//h2 | .//h3 | .//h4 | .//h5 | .//h6")
    wanted = [squash(text_of(heading)) for heading in headings]
    assert [squash(heading.title) for heading in article.page.headings] == wanted
    assert len(wanted) >= ARTICLES[name][1]


def test_every_sentence_of_a_paragraph_item_or_caption_is_there(
    article: Article, name: str
) -> None:
    places = article.content.xpath(
        ".//p | .//figcaption | .//caption | .//blockquote"
        f" | .//div[{_class('thumbcaption', 'gallerytext', 'hatnote')}]"
        " | .//li[not(.//ul or .//ol or .//dl)] | .//dd[not(.//ul or .//ol or .//dl)] | .//dt"
    )
    starts = [
        squash(part)[:60]
        for place in places
        for sentence in _SENTENCE.split(text_of(place))
        for part in sentence.split(_MATH)
    ]
    wanted = [start for start in starts if start]
    assert [start for start in wanted if start not in article.flat] == []
    assert len(wanted) >= ARTICLES[name][2]


def test_every_other_visible_text_is_there(article: Article, name: str) -> None:
    """Whatever element it stands in: what is left out is cut above, by the rules that docs/page-text.md states."""
    elements = (each for each in article.content.iter() if isinstance(each.tag, str))
    texts = {text.strip() for each in elements for text in (each.text, each.tail) if text}
    math = article.content.xpath(".//*[contains(@class, 'mwe-math')]//text()")
    wanted = {text for text in texts - {text.strip() for text in math} if len(squash(text)) > 1}
    assert [text for text in sorted(wanted) if squash(text) not in article.flat] == []
    assert len(wanted) > ARTICLES[name][2]


def test_every_link_to_an_article_is_there(article: Article, name: str) -> None:
    wanted = set()
    for link in article.content.xpath(".//a[@href]"):
        href = link.get("href")
        path = "/wiki/" + href[2:] if href.startswith("./") else href
        is_article = path.startswith(("/wiki/", _WIKI)) and "redlink=1" not in path
        if is_article and text_of(link).strip(" \ufeff"):
            wanted.add(unquote(path))
    assert wanted - {unquote(target) for target in article.targets} == set()
    assert len(wanted) >= ARTICLES[name][3]


def test_nothing_of_scripts_styles_navigation_and_marks_is_there(article: Article) -> None:
    content = set(_WORD.findall(" ".join(article.content.itertext())))
    content |= set(_WORD.findall(" ".join(map(str, article.content.xpath(".//@href | .//@alt")))))
    content |= set(_WORD.findall(unquote(" ".join(article.content.xpath(".//a/@href")))))
    only_noise = set(_WORD.findall(article.noise)) - content
    body = "\n\n".join(article.page.blocks)
    assert set(_WORD.findall(body)) & only_noise == set()
    assert not re.search(r"\[edit\]|\^\[|citation needed|↑", body)
