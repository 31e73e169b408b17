"""Running text of a page: white space, powers, pictures, links."""

import re
from collections.abc import Container
from urllib.parse import urljoin

from selectolax.lexbor import LexborNode

#: Stands for a line's end until it is known what that means: a new line, or "; " in a table's cell.
BREAK = "\x00"
#: Stands between cells of a table that stands inside a cell.
CELL = "\x02"
# fmt: off
#: Tags that end a word when they stand in running text, such as lists inside a table's cell.
BREAKING = frozenset([
    "p", "div", "li", "dd", "dt", "tr", "ul", "ol", "dl", "table", "h1", "h2", "h3", "h4", "h5",
    "h6", "section", "blockquote", "caption", "pre", "hr", "figure", "figcaption",
])
#: Tags without text for readers.
SILENT = frozenset([
    "-comment", "head", "title", "meta", "link", "button", "input", "select", "option", "iframe",
    "textarea",
])
# fmt: on
_UNSEEN = re.compile("[\ufeff\u200b\u2060\u00ad]")
_SUPERSCRIPTS = str.maketrans("0123456789+-\u2212n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿ")
_ORDINALS = frozenset({"st", "nd", "rd", "th", "er", "re", "ère", "ème", "TM", "SM", "MD"})
_COUNTED = frozenset("0123456789IVXLCDM")
#: A fraction's bar, and the slashes that are one only between a raised and a low number.
_BAR, _SLASHES = "\u2044", frozenset({"/", "\u2215"})
_EXPONENT = re.compile(r"[\w+\u2212*†\u2032-]{1,8}")
_INDEX = re.compile(r"[^\W\d_]\w{0,7}")
#: Pictures, and what mobile pages have in their place until they are seen.
_PICTURES = "img,[data-alt]"
_SMALL = 64  # pixels: wider pictures are not signs such as a tick


def tidy(parts: list[str], line_break: str) -> str:
    """One text, white space folded; runs of breaks become one `line_break`, none at the ends."""
    text = " ".join("".join(parts).split())
    if not text.isascii():
        text = _UNSEEN.sub("", text)
    if CELL in text:
        text = BREAK.join(map(_row, text.split(BREAK)))
    if BREAK not in text:
        return text.strip()
    pieces = (piece.strip() for piece in text.split(BREAK))
    return line_break.join(piece for piece in pieces if piece)


def _row(text: str) -> str:
    cells = (cell.strip() for cell in text.split(CELL))
    return " · ".join(cell for cell in cells if cell)


def superscript(text: str, before: str, *, over_bar: bool = False) -> str:
    """10<sup>6</sup> must not read as 106; 20<sup>th</sup> and marks read as they stand.

    `before` is the text beside it. With `over_bar` it is a numerator: 2<sup>1</sup>/<sub>2</sub>.
    """
    if all(character in "0123456789+-\u2212n" for character in text):
        if over_bar:
            return f" {text}" if before[-1:].isdecimal() else text
        return text.translate(_SUPERSCRIPTS)
    is_ordinal = text in _ORDINALS or (text == "e" and before[-1:] in _COUNTED)
    return text if is_ordinal or not _EXPONENT.fullmatch(text) else f"^{text}"


def is_numerator(raised: LexborNode, before: str) -> bool:
    """Whether what is raised, after the text `before`, stands over a fraction's bar.

    In x<sup>2</sup>/<sub>3</sub> it doesn't: no number of wholes stands before it.
    """
    beside = raised.next
    if beside is None or beside.tag != "-text":
        return False
    bar = (beside.text_content or "").strip()
    if bar.startswith(_BAR):
        return True
    low = beside.next
    if bar not in _SLASHES or low is None or low.tag != "sub":
        return False
    is_power = before[-1:].isalpha() or before.endswith((")", "]"))
    return not is_power and (low.text(deep=False) or "").strip().isdecimal()


def subscript(text: str) -> str:
    """H<sub>2</sub>O reads as it stands; T<sub>max</sub> must not read as one word."""
    return f"_{text}" if _INDEX.fullmatch(text) else text


def holds(node: LexborNode, tags: Container[str], levels: int = 3) -> bool:
    """Whether one of `tags` stands at most so many levels below a node.

    A look at all that is below would take the square of a hostile page's size.
    """
    child = node.first_child
    while child is not None:
        if (child.tag or "") in tags or (levels > 1 and holds(child, tags, levels - 1)):
            return True
        child = child.next
    return False


def picture(node: LexborNode) -> str:
    """Nothing, save for the pictures that stand for formulas."""
    classes = _classes(node)
    if "tex" not in classes and not any(name.startswith("mwe-math") for name in classes):
        return ""
    return f"${' '.join((node.attrs.get('alt') or '').split())}$"


def flag(link: LexborNode, target: str) -> str:
    """What a link without text shows: an article's flag or sign by name, nothing for files."""
    if ":" in target or not target.startswith("/wiki/"):
        return ""
    image = link.css_first(_PICTURES)
    if image is None or "image" in _classes(link) or "mw-file-description" in _classes(link):
        return ""
    return " ".join((_told("alt", image) or link.attrs.get("title") or "").split())


def signs(cell: LexborNode) -> str:
    """What small pictures alone say in a cell, such as a tick or a cross."""
    names = (_told("alt", image) for image in cell.css(_PICTURES) if _is_small(image))
    return " ".join(" ".join(names).split())


def _told(what: str, image: LexborNode) -> str:
    return image.attrs.get(what) or image.attrs.get(f"data-{what}") or ""


def _is_small(image: LexborNode) -> bool:
    width = _told("width", image)
    return width.isdecimal() and int(width[:6]) <= _SMALL


def _classes(node: LexborNode) -> list[str]:
    return (node.attrs.get("class") or "").split()


def link_target(href: str, url: str | None) -> str | None:
    """Where a link leads: /wiki/... as it is, others absolute; None for marks and missing pages."""
    href = "%20".join(href.split())
    if not href or href[0] == "#" or "redlink=1" in href or "action=edit" in href:
        return None
    if href.startswith("/wiki/"):
        return _closed(href)
    if href.startswith("./"):  # Parsoid's way of writing a page of the same wiki
        return _closed(f"/wiki/{href[2:]}")
    if href.startswith("//"):
        return _closed(f"https:{href}")
    return _absolute(href, url)


def _absolute(href: str, url: str | None) -> str | None:
    try:
        absolute = urljoin(url, href) if url else href
    except ValueError:  # such as http://[broken
        return None
    return _closed(absolute) if absolute.startswith(("http://", "https://")) else None


def _closed(target: str) -> str:
    """Parentheses that pair up end no link of markdown; others are written as codes."""
    if target.count("(") == target.count(")"):
        return target
    return target.replace("(", "%28").replace(")", "%29")
