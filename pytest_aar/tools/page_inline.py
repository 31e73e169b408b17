"""Running text of a page: white space, powers, formulas, links."""

import re
from urllib.parse import urljoin

from selectolax.lexbor import LexborNode

#: Stands for a line's end until it is known what that means: a new line, or "; " in a table's cell.
BREAK = "\x00"
# fmt: off
#: Tags that end a word when they stand in running text, such as lists inside a table's cell.
BREAKING = frozenset([
    "p", "div", "li", "dd", "dt", "tr", "ul", "ol", "dl", "table", "h1", "h2", "h3", "h4", "h5",
    "h6", "section", "blockquote", "caption",
])
#: Tags without text for readers.
SILENT = frozenset([
    "-comment", "head", "title", "meta", "link", "button", "input", "select", "option", "iframe",
])
# fmt: on
_SPACE = re.compile(r"[^\S\x00]+")
_SUPERSCRIPTS = str.maketrans("0123456789+-\u2212n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿ")


def tidy(parts: list[str], line_break: str) -> str:
    """One text, white space folded; runs of breaks become one `line_break`, none at the ends."""
    text = _SPACE.sub(" ", "".join(parts)).replace("\ufeff", "")
    if BREAK not in text:
        return text.strip()
    pieces = (piece.strip() for piece in text.split(BREAK))
    return line_break.join(piece for piece in pieces if piece)


def superscript(text: str) -> str:
    """10<sup>6</sup> must not read as 106."""
    raised = text.translate(_SUPERSCRIPTS)
    is_plain = all(character in "0123456789+-\u2212n" for character in text)
    return raised if is_plain else f"^{text}"


def formula(node: LexborNode) -> str:
    """The TeX source of a formula, between dollar signs."""
    source = node.attributes.get("alttext")
    if not source:
        annotation = node.css_first("annotation")
        source = annotation.text() if annotation else node.text()
    return f"${' '.join(source.split())}$"


def picture(node: LexborNode) -> str:
    """Nothing, save for the pictures that stand for formulas."""
    attributes = node.attributes
    if "mwe-math" not in (attributes.get("class") or ""):
        return ""
    return f"${' '.join((attributes.get('alt') or '').split())}$"


def link_target(href: str, url: str | None) -> str | None:
    """Where a link leads: /wiki/... as it is, others absolute; None for marks and missing pages."""
    if href.startswith("/wiki/"):
        return href.partition("#")[0]
    if href.startswith("./"):  # Parsoid's way of writing a page of the same wiki
        return f"/wiki/{href[2:].partition('#')[0]}"
    if not href or href.startswith("#") or "redlink=1" in href:
        return None
    if href.startswith("//"):
        return f"https:{href}"
    absolute = urljoin(url, href) if url else href
    return absolute if absolute.startswith(("http://", "https://")) else None
