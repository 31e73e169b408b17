"""Pages and facts made by hand, an atlas of them, and a bench at which no tool is called."""

import random
from collections.abc import Mapping
from typing import Any

from pytest_aar.generate.draft import Bench, PageFact, PageLink, PageNode
from pytest_aar.generate.levels import LEVELS


def fact(
    label: str, value: Any, value_type: str = "number", text: str = "", **more: Any
) -> PageFact:
    """One of the summary box, unless `section` says otherwise."""
    shared = {"unit": None, "section": "infobox", **more}
    return PageFact(
        label=label, text=text or str(value), value=value, value_type=value_type, **shared
    )


def page(title: str, *facts: PageFact, to: tuple[str, ...] = (), **more: Any) -> PageNode:
    """A city; its summary box links the pages `to`."""
    links = tuple(PageLink(title=t, anchor=t, section="infobox", label=f"To {t}") for t in to)
    shared = {"url": "", "kind": "city", "country": None, "location": None, "links": links, **more}
    return PageNode(title=title, facts=facts, **shared)


class Pages:
    """An atlas of few pages."""

    def __init__(self, *pages: PageNode) -> None:
        self._pages = {each.title: each for each in pages}

    async def node(self, title: str) -> PageNode | None:
        return self.peek(title)

    def peek(self, title: str) -> PageNode | None:
        return self._pages.get(title)


async def no_tool(name: str, arguments: Mapping[str, Any]) -> Any:
    raise AssertionError(name)


def bench(*pages: PageNode, **changed: Any) -> Bench:
    """For an easy linear leg over these pages."""
    shared = {
        "level": LEVELS["easy"],
        "variant": "linear",
        "atlas": Pages(*pages),
        "call_tool": no_tool,
        "read": no_tool,
        "chance": random.Random(0),
        **changed,
    }
    return Bench(**shared)
