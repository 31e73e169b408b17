"""Lists as lines of text: marks, numbers, and two spaces for each level."""

from collections.abc import Callable

from selectolax.lexbor import LexborNode

from pytest_aar.tools.page_inline import BREAK, holds, tidy
from pytest_aar.tools.page_runs import Runs

LISTS = frozenset({"ul", "ol", "dl"})
_ITEMS = frozenset({"li", "dt", "dd"})
_WRAPPERS = frozenset({"div", "center", "section", "small", "span"})
_INNER = LISTS | {"table"}

#: Spaces before the items of lists that nest deeper than any reader follows.
_DEEPEST = 40

TableLines = Callable[[LexborNode], list[str]]
#: Parts of a text, or a list or table that stands after it.
_Piece = list[str] | LexborNode


class ListLines:
    """Lines of a list and of the lists and tables inside its items."""

    def __init__(self, runs: Runs, table_lines: TableLines) -> None:
        self._runs = runs
        self._table_lines = table_lines

    def of(self, node: LexborNode, indent: str = "") -> list[str]:
        """The lines of a ul, ol or dl."""
        lines: list[str] = []
        number = _start(node)
        follows_term = False
        child = node.first_child
        while child is not None:
            tag = child.tag or ""
            if tag in _ITEMS:
                number = _number(child, "value", number)
                mark = f"{number}." if node.tag == "ol" else "-"
                inner = "  " if tag == "dd" and follows_term else ""
                lines += self._item(child, f"{indent}{inner}{mark} ")
                number += 1
                follows_term = follows_term or tag == "dt"
            elif tag in LISTS or (tag in _WRAPPERS and holds(child, _ITEMS)):
                lines += self.of(child, indent)
            else:
                lines += self._stray(child, tag, indent)
            child = child.next
        return lines

    def _stray(self, node: LexborNode, tag: str, indent: str) -> list[str]:
        parts: list[str] = []
        self._runs.add(node, tag, parts)
        text = tidy(parts, " ")
        return [f"{indent}- {text}"] if text else []

    def _item(self, node: LexborNode, mark: str) -> list[str]:
        pieces: list[_Piece] = [[]]
        self._split(node, pieces)
        told = [tidy(piece, " ") if isinstance(piece, list) else piece for piece in pieces]
        has_text = any(isinstance(piece, str) and piece for piece in told)
        lines = [f"{mark}{told[0]}".rstrip()] if has_text else []
        indent = " " * min(len(mark) - len(mark.lstrip()) + 2, _DEEPEST)
        for piece in told[1:]:
            lines += self._below(piece, indent)
        return lines

    def _below(self, piece: str | LexborNode, indent: str) -> list[str]:
        """The lines of what stands below an item's first text."""
        if isinstance(piece, str):
            return [indent + piece] if piece else []
        if piece.tag == "table":
            return [indent + line for line in self._table_lines(piece)]
        return self.of(piece, indent)

    def _split(self, node: LexborNode, pieces: list[_Piece]) -> None:
        """Divide what an item holds into texts and what stands below them, in the page's order."""
        child = node.first_child
        while child is not None:
            tag = child.tag or ""
            if tag in _INNER:
                pieces.append(child)
            elif tag in _WRAPPERS and holds(child, _INNER):
                _text_in(pieces).append(BREAK)
                self._split(child, pieces)
                _text_in(pieces).append(BREAK)
            else:
                self._runs.add(child, tag, _text_in(pieces))
            child = child.next


def _text_in(pieces: list[_Piece]) -> list[str]:
    """The text that goes on; a new one below a list or table."""
    last = pieces[-1]
    if isinstance(last, list):
        return last
    pieces.append([])
    return _text_in(pieces)


def _start(node: LexborNode) -> int:
    return _number(node, "start", 1) if node.tag == "ol" else 1


def _number(node: LexborNode, name: str, default: int) -> int:
    value = node.attrs.get(name) or ""
    return int(value) if value.isdecimal() and len(value) < 10 else default  # noqa: PLR2004 - digits
