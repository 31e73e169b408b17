"""Pages as the generator sees them, read from the text that `fetch_webpage` gives: for any world."""

import re
from collections import Counter
from collections.abc import Iterator
from urllib.parse import unquote

from pytest_aar.article_paths import article_url
from pytest_aar.golden.pages import dates, labelled_in, numbers, plain, typed
from pytest_aar.golden.records import same

from .draft import CallTool, PageFact, PageLink, PageNode
from .page_kinds import kind_of

_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_LINK = re.compile(r"\[([^\[\]]*)\]\(/wiki/([^\s()]*(?:\([^\s()]*\)[^\s()]*)*)\)")
_POINT = re.compile(r"/ (-?\d+(?:\.\d+)?); (-?\d+(?:\.\d+)?)\]")
_DEGREES = re.compile(r"(\d+(?:\.\d+)?)°([NS]) (\d+(?:\.\d+)?)°([EW])")
_HEADING = re.compile(r"^#{2,6} (.+)$", re.MULTILINE)
_FIGURE = re.compile(
    r"(?:(?:Neutral|Positive|Negative)? ?(?:in|de)crease )?(?P<number>[\d,.]*\d)"
    r"(?: ?(?P<unit>m|ft|km2?|km²|mi|sq mi|ha|min|%|°C|metres|feet|minutes))?(?: ?\(.*\))?",
    re.IGNORECASE,
)
_AMOUNT = r"(?:about |around |approximately |over |nearly )?(?P<number>\d[\d,]*(?:\.\d+)?)"
_TOLD = {
    "population": re.compile(rf"\bpopulation of {_AMOUNT}(?! ?million)(?=[ .,;])"),
    "area": re.compile(
        rf"\barea of {_AMOUNT} (?P<unit>square kilometres|square miles|km2|sq mi)\b"
    ),
    "elevation": re.compile(
        rf"\b(?:elevation|height|altitude) of {_AMOUNT} (?P<unit>m|ft|metres|feet)\b"
    ),
}
_RULE = "| --- "
#: The link to a map that stands behind the name of a place.
_MAP = re.compile(r"\s+\[[^\[\]]*°[^\[\]]*\]\(\S+\)$")
_BULLET = "\u2022"
_ASIDE = re.compile(r"\s*[\[(][^\])]*[\])]")
_NOT_ARTICLES = re.compile(r"(?:File|Help|Category|Special|Wikipedia|Template|Portal|Talk|Draft):")
_APPARATUS = frozenset(
    {"See also", "Notes", "References", "Citations", "Sources", "Further reading", "External links"}
)
_INFOBOX, _LEAD = "infobox", "lead"
_LONGEST_LABEL = 40


class PageAtlas:
    """An `Atlas` over the pages of a wiki; each is fetched once."""

    def __init__(self, wiki: str, call_tool: CallTool) -> None:
        self._wiki, self._call_tool = wiki, call_tool
        self._nodes: dict[str, PageNode | None] = {}

    async def node(self, title: str) -> PageNode | None:
        """One page, under its own title; None if it can't be read."""
        if title not in self._nodes:
            reply = await self._call_tool("fetch_webpage", {"url": self.url_of(title)})
            self._nodes[title] = self._read(reply.text) if reply.ok else None
        return self._nodes[title]

    def peek(self, title: str) -> PageNode | None:
        """Never: a page that was not crawled would have to be asked for."""
        return None

    def url_of(self, title: str) -> str:
        """A page's address."""
        return article_url(self._wiki, title)

    def _read(self, text: str) -> PageNode | None:
        found = _TITLE.search(text)
        return page_node(found[1], self.url_of(found[1]), text) if found else None


def page_node(title: str, url: str, text: str) -> PageNode:
    """A page's facts and links, from the markdown of the whole page."""
    body = text.partition("\n\n")[2]
    lead, *_ = _HEADING.split(body, maxsplit=1)
    rows = list(_infobox_rows(lead))
    labels = Counter(label for label, _ in rows)
    bare = plain(text)
    facts = [fact for row in rows if labels[row[0]] == 1 for fact in _facts(*row, bare)]
    facts += _told(_first_paragraph(lead))
    links = (*_infobox_links(rows), *_section_links(body))
    return PageNode(
        title=title,
        url=url,
        kind=kind_of(lead, frozenset(labels), _first_paragraph(lead)),
        country=next((str(fact.value) for fact in facts if fact.label == "Country"), None),
        location=_location(lead),
        facts=tuple(facts),
        links=links,
        lead=_first_paragraph(lead),
    )


def _first_paragraph(lead: str) -> str:
    """The first line of sentences after the infobox."""
    lines = (" ".join(plain(line).split()) for line in lead.rpartition("\n|")[2].split("\n")[1:])
    return next((line for line in lines if line.endswith(".")), "")


def _told(paragraph: str) -> Iterator[PageFact]:
    """Figures that the first sentences tell in a usual form of words."""
    for label, pattern in _TOLD.items():
        found = pattern.search(paragraph)
        if found:
            number = numbers(found["number"])[0]
            yield PageFact(
                label=label,
                text=found["number"],
                value=number,
                value_type="number",
                unit=found.groupdict().get("unit"),
                section=_LEAD,
            )


def _infobox_rows(lead: str) -> Iterator[tuple[str, str]]:
    """(label, markdown) of the rows of the first table without a head; "Group: Row" for those of groups."""
    in_table, group = False, ""
    lines = lead.split("\n")
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if not line.startswith("|"):
            if in_table:
                return
            continue
        if not in_table and following.startswith(_RULE):
            return
        in_table = True
        cells = line.strip().strip("|").split(" | ")
        label = plain(cells[0]).strip()
        is_inner = label.startswith(_BULLET)
        if not is_inner:
            group = _ASIDE.sub("", label)
        if len(cells) == len(("label", "value")):
            label = f"{group}: {label.strip(_BULLET).strip()}" if is_inner else label
            if label[:1].isalpha() and len(label) <= _LONGEST_LABEL:
                yield label, _MAP.sub("", cells[1].strip())


def _facts(label: str, cell: str, bare: str) -> Iterator[PageFact]:
    """The row's fact, if a reader of the page finds it again by its label."""
    text = " ".join(plain(cell).split())
    fact = _dated(label, text) or _counted(label, text) or _named(label, cell)
    if fact is not None and same(labelled_in(bare, label, fact.value_type), fact.value):
        yield fact


def _dated(label: str, text: str) -> PageFact | None:
    value = typed(text, "date") if len(set(dates(text))) == 1 else None
    return _fact(label, text, value, "date") if value else None


def _counted(label: str, text: str) -> PageFact | None:
    found = _FIGURE.fullmatch(text)
    if found is None or not numbers(text):
        return None
    return _fact(label, found["number"], numbers(text)[0], "number", found["unit"])


def _named(label: str, cell: str) -> PageFact | None:
    found = _LINK.fullmatch(cell)
    return _fact(label, found[1], found[1], "text") if found and found[1] else None


def _fact(
    label: str, text: str, value: object, value_type: str, unit: str | None = None
) -> PageFact:
    assert isinstance(value, int | float | str)  # as `typed` gives it for these types
    return PageFact(
        label=label, text=text, value=value, value_type=value_type, unit=unit, section=_INFOBOX
    )


def _infobox_links(rows: list[tuple[str, str]]) -> Iterator[PageLink]:
    for label, cell in rows:
        is_whole = _LINK.fullmatch(cell) is not None
        for anchor, title in _articles(cell):
            yield PageLink(
                title=title, anchor=anchor, section=_INFOBOX, label=label if is_whole else None
            )


def _section_links(body: str) -> Iterator[PageLink]:
    """Links below headings that there are only once, without those of the apparatus."""
    _, *parts = _HEADING.split(body)
    headings = [plain(heading) for heading in parts[::2]]
    for heading, text in zip(headings, parts[1::2], strict=True):
        if headings.count(heading) == 1 and heading not in _APPARATUS:
            for anchor, title in _articles(text):
                yield PageLink(title=title, anchor=anchor, section=heading)


def _articles(text: str) -> Iterator[tuple[str, str]]:
    """(anchor, title) of the links to other articles."""
    for found in _LINK.finditer(text):
        title = unquote(found[2]).partition("#")[0].replace("_", " ")
        if title and found[1] and not _NOT_ARTICLES.match(title):
            yield found[1], title


def _location(lead: str) -> tuple[float, float] | None:
    found = _POINT.search(lead)
    if found:
        return float(found[1]), float(found[2])
    worded = _DEGREES.search(lead)
    if worded is None:
        return None
    north = float(worded[1]) * (1 if worded[2] == "N" else -1)
    return north, float(worded[3]) * (1 if worded[4] == "E" else -1)
