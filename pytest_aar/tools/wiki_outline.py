"""A page's sections as the wiki's API lists them: `sections` of old, `tocdata` of today."""

import html
import re
from dataclasses import dataclass
from typing import Any

_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True, kw_only=True)
class WikiSection:
    """`index` is what the API's `section=` takes ("3", "T-1"); `level` is that of the heading (2 to 6)."""

    index: str
    number: str
    title: str
    anchor: str
    level: int

    def is_called(self, wanted: str) -> bool:
        """Whether it has this title or anchor (case and spacing aside)."""
        return _folded(wanted) in (_folded(self.title), _folded(self.anchor))


def outline_of(parse: Any) -> tuple[WikiSection, ...]:
    """The sections in the `parse` object of a reply, whichever list it has; () with neither.

    Today's list leaves out what has its default value. A list of another shape is a KeyError and the like.
    """
    rows = parse.get("sections")
    if rows is None:
        rows = (parse.get("tocdata") or {}).get("sections", [])
    return tuple(_section(row) for row in rows)


def _section(row: Any) -> WikiSection:
    title = " ".join(html.unescape(_TAG.sub("", str(row.get("line", "")))).split())
    level = (
        row.get("level")
        or row.get("hLevel")
        or int(row.get("toclevel", row.get("tocLevel", 1))) + 1
    )
    return WikiSection(
        index=str(row["index"]),
        number=str(row.get("number", "")),
        title=title,
        anchor=str(row.get("anchor") or title.replace(" ", "_")),
        level=int(level),
    )


def _folded(text: str) -> str:
    return " ".join(text.replace("_", " ").split()).casefold()
