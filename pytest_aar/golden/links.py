"""Where a tool's text leads: the links of a page's markdown, the results of a search."""

import json
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import urljoin

from pytest_aar.score import canonical_title

#: Parentheses that pair up end no link, as in (/wiki/Mercury_(planet)).
_TARGET = re.compile(r"\]\(((?:[^()\s]|\((?:[^()\s]|\([^()\s]*\))*\))+)")


def linked_pages(text: str, base: str) -> frozenset[str]:
    """The pages that a text leads to, as `canonical_title` names them; links of a page at `base` may be relative.

    What a text merely says, such as a page's own address in its head, leads nowhere.
    """
    found = _results(text)
    targets: Iterable[str] = _TARGET.findall(text) if found is None else found
    return frozenset(canonical_title(_joined(base, each)) for each in targets)


def found_pages(text: str) -> tuple[str, ...]:
    """The pages that a search's results lead to, best first, as `canonical_title` names them."""
    return tuple(map(canonical_title, _results(text) or ()))


def _results(text: str) -> list[str] | None:
    """The addresses of a search's results; None for another text."""
    if not text.startswith("{"):
        return None
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return None
    rows = body.get("results")
    return [url for row in rows if (url := _url(row))] if isinstance(rows, list) else None


def _url(row: Any) -> str | None:
    url = row.get("url") if isinstance(row, dict) else None
    return url if isinstance(url, str) else None


def _joined(base: str, target: str) -> str:
    try:
        return urljoin(base, target)
    except ValueError:  # such as http://[broken
        return target
