"""How deep a page nests: parsing takes the square of it, so hostile pages are never parsed."""

import re
from collections import Counter

#: Browsers stop at 512; honest pages stay below 100.
MOST_DEPTH = 1_000
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)")
_ANY_TAG = re.compile(r"<[^>]*>")
# fmt: off
#: Tags that never hold others open: without content, or closed by the next of their kind.
_SHALLOW = frozenset([
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr", "p", "li", "dt", "dd", "tr", "td", "th", "option", "tbody", "thead", "tfoot",
])
# fmt: on


def nests_too_deep(html: str) -> bool:
    """Whether more elements stand open at once than any honest page has."""
    open_by_name: Counter[str] = Counter()
    depth = 0
    for match in _TAG.finditer(html):
        is_end, name = match[1], match[2].lower()
        if name in _SHALLOW:
            continue
        if not is_end:
            open_by_name[name] += 1
            depth += 1
        elif open_by_name[name]:  # an end tag without a start closes nothing
            open_by_name[name] -= 1
            depth -= 1
        if depth > MOST_DEPTH:
            return True
    return False


def bare_text(html: str) -> str:
    """The text without its tags, for pages that are not worth a parser."""
    return " ".join(_ANY_TAG.sub(" ", html).split())
