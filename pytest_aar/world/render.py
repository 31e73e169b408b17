"""Page records to HTML as MediaWiki's parser makes it today."""

import re
from collections.abc import Callable, Iterator
from html import escape
from typing import cast

from pytest_aar.article_paths import article_path
from pytest_aar.world.records import Block, InfoboxRow, Page, Section

#: Title of a page by its number.
Titles = Callable[[int], str]

FOOTER = (
    "This is a page of the pytest-aar sandbox world, not of Wikipedia. Its geography is real "
    "(GeoNames, Natural Earth, CIA World Factbook and others, see NOTICE) but dated; the world's "
    "weather, places, ratings, prices and driving times are invented."
)
_LINK = re.compile(r"\[\[(\d+)(?:\|([^\]]*))?\]\]")
_BOLD = re.compile(r"&#x27;&#x27;&#x27;(.+?)&#x27;&#x27;&#x27;")


def page_url(title: str) -> str:
    """The path of a page: /wiki/Title, percent-encoded as MediaWiki does it, but for apostrophes."""
    return "/wiki/" + article_path(title, in_sandbox=True)


def anchor_of(heading: str) -> str:
    """The fragment that leads to a heading."""
    return heading.replace(" ", "_")


def inline(markup: str, titles: Titles) -> str:
    """Markup to HTML: links and bold, everything else escaped."""

    def anchor(found: re.Match[str]) -> str:
        title = titles(int(found[1]))
        shown = found[2] or escape(title)
        return f'<a href="{escape(page_url(title))}" title="{escape(title)}">{shown}</a>'

    return _BOLD.sub(r"<b>\1</b>", _LINK.sub(anchor, escape(markup)))


def plain(markup: str, titles: Titles) -> str:
    """Markup to plain text."""
    text = _LINK.sub(lambda found: found[2] or titles(int(found[1])), markup)
    return text.replace("'''", "")


def links_in(markup: str, titles: Titles) -> Iterator[tuple[str, str]]:
    """The links of a piece of markup as (title, anchor text)."""
    for found in _LINK.finditer(markup):
        title = titles(int(found[1]))
        yield title, found[2] or title


def strings(block: Block) -> Iterator[str]:
    """All markup of a block, in the order it is shown."""
    if isinstance(block, str):
        yield block
        return
    for item in block[1:]:
        yield from _cells(block[0], item)


def _cells(kind: object, item: object) -> Iterator[str]:
    if isinstance(item, str):
        yield item
    elif kind == "facts":
        label, markup, *_ = cast(list[str], item)
        yield f"{label}: {markup}"
    else:
        yield from cast(list[str], item)


def page_html(page: Page, titles: Titles) -> str:
    """The parser output of a whole page."""
    rest = page.sections[1:]
    parts = [lead_html(page, titles)]
    if len(rest) > 3:  # noqa: PLR2004 - MediaWiki's rule: a contents list from the fourth heading on
        parts.append('<meta property="mw:PageProp/toc" />')
    parts += [section_html(section, titles) for section in rest]
    return parser_output("\n".join(parts) + footer_html())


def parser_output(body: str) -> str:
    """The wrapper that every rendering carries."""
    return f'<div class="mw-content-ltr mw-parser-output" lang="en" dir="ltr">{body}</div>'


def footer_html() -> str:
    """The note that says what this is."""
    return f'\n<p class="sandbox-note"><small>{escape(FOOTER)}</small></p>'


def section_html(section: Section, titles: Titles) -> str:
    """A section with its heading."""
    heading = escape(section.heading)
    tag = f"h{section.level}"
    head = (
        f'<div class="mw-heading mw-heading{section.level}">'
        f'<{tag} id="{escape(anchor_of(section.heading))}">{heading}</{tag}></div>'
    )
    return f"{head}\n{_section_body(section, titles)}"


def lead_html(page: Page, titles: Titles) -> str:
    """The lead alone: what `section=0` asks for."""
    notes = [block for block in page.sections[0].blocks if _is_hatnote(block)]
    rest = [block for block in page.sections[0].blocks if not _is_hatnote(block)]
    parts = [_block(block, titles) for block in notes]
    parts.append(_infobox(page, titles))
    return "\n".join([*parts, *(_block(block, titles) for block in rest)])


def _is_hatnote(block: Block) -> bool:
    return isinstance(block, list) and block[0] == "hatnote"


def _section_body(section: Section, titles: Titles) -> str:
    return "\n".join(_block(block, titles) for block in section.blocks)


def _block(block: Block, titles: Titles) -> str:
    if isinstance(block, str):
        return f"<p>{inline(block, titles)}</p>"
    kind, *items = block
    render = _BLOCKS[cast(str, kind)]
    return render(items, titles)


def _list(items: list[object], titles: Titles) -> str:
    rows = "\n".join(f"<li>{inline(cast(str, item), titles)}</li>" for item in items)
    return f"<ul>{rows}</ul>"


def _hatnote(items: list[object], titles: Titles) -> str:
    text = inline(cast(str, items[0]), titles)
    return f'<div role="note" class="hatnote navigation-not-searchable">{text}</div>'


def _table(items: list[object], titles: Titles) -> str:
    head, *rows = cast(list[list[str]], items)
    top = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    lines = "\n".join(
        f"<tr>{''.join(f'<td>{inline(cell, titles)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f'<table class="wikitable sortable"><tbody><tr>{top}</tr>\n{lines}\n</tbody></table>'


def _facts(items: list[object], titles: Titles) -> str:
    lines = "\n".join(
        f'<tr><th scope="row">{escape(label)}</th><td>{inline(markup, titles)}</td></tr>'
        for label, markup, *_ in cast(list[list[str]], items)
    )
    return f'<table class="wikitable"><tbody>{lines}</tbody></table>'


_BLOCKS: dict[str, Callable[[list[object], Titles], str]] = {
    "ul": _list,
    "hatnote": _hatnote,
    "table": _table,
    "facts": _facts,
}


def _infobox(page: Page, titles: Titles) -> str:
    if not page.infobox:
        return ""
    rows = "".join(_infobox_row(row, titles) for row in page.infobox)
    title = escape(page.title)
    return (
        f'<table class="infobox vcard"><tbody><tr><th colspan="2" class="infobox-above fn org">'
        f"{title}</th></tr>{rows}</tbody></table>"
    )


def _infobox_row(row: InfoboxRow, titles: Titles) -> str:
    return (
        f'<tr><th scope="row" class="infobox-label">{escape(row.label)}</th>'
        f'<td class="infobox-data">{inline(row.markup, titles)}</td></tr>'
    )
