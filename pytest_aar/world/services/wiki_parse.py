"""`action=parse`."""

from collections.abc import Callable
from typing import Any

from pytest_aar.world.records import Page
from pytest_aar.world.render import (
    anchor_of,
    footer_html,
    lead_html,
    parser_output,
    section_html,
)
from pytest_aar.world.services.wiki_pages import (
    PAGE_ID,
    REVISION_ID,
    ApiError,
    Call,
    full_url,
    invalid_reason,
    language_links,
)
from pytest_aar.world.store import normal_title

_DEFAULT = "text|langlinks|links|sections|revid|displaytitle|properties"


def parse(call: Call) -> dict[str, Any]:
    """The reply of action=parse for `page`, `pageid` or `oldid`."""
    page, redirects = _wanted(call)
    reply: dict[str, Any] = {"title": page.title, "pageid": page.number + PAGE_ID}
    if call.flag("redirects"):
        reply["redirects"] = redirects
    for name in call.values("prop", _DEFAULT):
        if name in _PROPS:
            reply[name] = _PROPS[name](call, page)
    return {"parse": reply}


def _wanted(call: Call) -> tuple[Page, list[dict[str, str]]]:
    if "page" in call.query:
        return _by_title(call, call.query["page"])
    for name, base in (("pageid", PAGE_ID), ("oldid", REVISION_ID)):
        if name in call.query:
            return _by_number(call, name, call.query[name], base), []
    raise ApiError(
        "missingparam", 'One of the parameters "page", "pageid" and "oldid" is required.'
    )


def _by_title(call: Call, name: str) -> tuple[Page, list[dict[str, str]]]:
    bare = name.partition("#")[0]
    if invalid_reason(bare):
        raise ApiError("invalidtitle", f'Bad title "{name}".')
    wanted = normal_title(bare)
    title = call.world.resolve(wanted)
    if title is None:
        raise ApiError("missingtitle", "The page you specified doesn't exist.")
    page = call.world.page(title)
    if title == wanted:
        return page, []
    return page, [{"from": wanted, "to": title}]


def _by_number(call: Call, name: str, text: str, base: int) -> Page:
    number = int(text) - base if text.isdecimal() else -1
    if not 0 <= number < len(call.world):
        if name == "oldid":
            raise ApiError("nosuchrevid", f"There is no revision with ID {text}.")
        raise ApiError("nosuchpageid", f"There is no page with ID {text}.")
    return call.world.page(call.world.title_of(number))


def _text(call: Call, page: Page) -> Any:
    wanted = call.query.get("section")
    html = page.html if wanted is None else _section(call, page, wanted)
    return html if call.modern else {"*": html}


def _section(call: Call, page: Page, wanted: str) -> str:
    titles = call.world.title_of
    if wanted == "0":
        return parser_output(lead_html(page, titles) + footer_html())
    index = int(wanted) if wanted.isdecimal() else -1
    if not 0 < index < len(page.sections):
        raise ApiError("nosuchsection", f"There is no section {wanted}.")
    return parser_output(section_html(page.sections[index], titles) + footer_html())


def _links(call: Call, page: Page) -> list[dict[str, Any]]:
    titles = sorted(link.title for link in page.links)
    if call.modern:
        return [{"ns": 0, "title": title, "exists": True} for title in titles]
    return [{"ns": 0, "exists": "", "*": title} for title in titles]


def _langlinks(call: Call, page: Page) -> list[dict[str, Any]]:
    key = "title" if call.modern else "*"
    return [
        {"lang": code, "url": f"{full_url(page.title)}?uselang={code}", "langname": name}
        | {"autonym": name, key: page.title}
        for code, name in language_links(call.world, page)
    ]


def _sections(call: Call, page: Page) -> list[dict[str, Any]]:
    extra = {"fromtitle": page.title.replace(" ", "_"), "byteoffset": None}
    return [
        {
            "toclevel": section.level - 1,
            "level": str(section.level),
            "line": section.heading,
            "number": str(index),
            "index": str(index),
            **extra,
            "anchor": anchor_of(section.heading),
            "linkAnchor": anchor_of(section.heading),
        }
        for index, section in enumerate(page.sections[1:], 1)
    ]


def _tocdata(call: Call, page: Page) -> dict[str, Any]:
    return {
        "sections": [
            {
                "tocLevel": section.level - 1,
                "hLevel": section.level,
                "line": section.heading,
                "number": str(index),
                "index": str(index),
                "anchor": anchor_of(section.heading),
            }
            for index, section in enumerate(page.sections[1:], 1)
        ]
    }


def _properties(call: Call, page: Page) -> Any:
    found = {"disambiguation": ""} if page.kind == "disambiguation" else {}
    if call.modern:
        return found
    return [{"name": name, "*": value} for name, value in found.items()]


_PROPS: dict[str, Callable[[Call, Page], Any]] = {
    "text": _text,
    "links": _links,
    "langlinks": _langlinks,
    "sections": _sections,
    "tocdata": _tocdata,
    "properties": _properties,
    "displaytitle": lambda _, page: page.title,
    "revid": lambda _, page: page.number + REVISION_ID,
}
