"""From nodes to running text: one recursive walk that knows inline markup only."""

from selectolax.lexbor import LexborNode

from pytest_aar.tools.page_inline import (
    BREAK,
    BREAKING,
    CELL,
    SILENT,
    flag,
    is_numerator,
    link_target,
    picture,
    signs,
    subscript,
    superscript,
    tidy,
)
from pytest_aar.tools.page_noise import formula

#: How many parts back the text beside a mark is looked for: ends of inline tags are empty ones.
_BESIDE = 4


class Runs:
    """Texts of nodes; links are read from the page at `url`, None if unknown."""

    def __init__(self, url: str | None) -> None:
        self._url = url

    def text_of(self, node: LexborNode, line_break: str = " ") -> str:
        """What stands inside a node, as one text."""
        parts: list[str] = []
        self.inside(node, parts)
        return tidy(parts, line_break)

    def cell_text(self, cell: LexborNode) -> str:
        """What a table's cell says, its lines divided by "; "."""
        text = self.text_of(cell, "; ")
        return text if text or cell.first_child is None else signs(cell)

    def inside(self, node: LexborNode, parts: list[str]) -> None:
        """Add what stands inside a node to `parts`."""
        child = node.first_child
        while child is not None:
            tag = child.tag or ""
            if tag == "-text":
                parts.append(child.text_content or "")
            else:
                self.add(child, tag, parts)
            child = child.next

    def add(self, node: LexborNode, tag: str, parts: list[str]) -> None:
        """Add a node to `parts`."""
        if tag == "-text":
            parts.append(node.text_content or "")
        elif tag == "a":
            self._link(node, parts)
        elif tag == "br":
            parts.append(BREAK)
        elif tag in {"sup", "sub"}:
            self._raised(node, tag, parts)
        elif tag == "math":
            parts.append(formula(node))
        elif tag == "img":
            parts.append(picture(node))
        elif tag not in SILENT:
            edge = BREAK if tag in BREAKING else CELL if tag in {"td", "th"} else ""
            parts.append(edge)
            self.inside(node, parts)
            parts.append(edge)

    def _raised(self, node: LexborNode, tag: str, parts: list[str]) -> None:
        text = self.text_of(node)
        if tag == "sub":
            parts.append(subscript(text))
            return
        before = "".join(parts[-_BESIDE:])
        parts.append(superscript(text, before, over_bar=is_numerator(node, before)))

    def _link(self, node: LexborNode, parts: list[str]) -> None:
        text = self.text_of(node)
        target = link_target(node.attrs.get("href") or "", self._url)
        if target is not None and not text:
            text = flag(node, target)
        if target is not None and text:
            parts.append(f"[{text}]({target})")
        elif text:
            parts.append(text)
