"""Long results, a screenful at a time."""

import json
import textwrap
from dataclasses import dataclass

_FEWEST_LINES = 10
_HITS = 20
_INDENT = 8


@dataclass(slots=True, kw_only=True)
class Pager:
    """The last result in lines that fit, and the page that is shown. `height` is in lines, `width` in characters."""

    width: int
    height: int
    lines: tuple[str, ...] = ()
    number: int = 1

    @property
    def count(self) -> int:
        """How many pages there are, at least one."""
        return max(1, -(-len(self.lines) // self._page_lines))

    @property
    def _page_lines(self) -> int:
        return max(_FEWEST_LINES, self.height - 3)

    def open(self, text: str) -> str:
        """Take a new result; its first page."""
        self.lines = tuple(fitted(readable(text), self.width))
        return self.page(1)

    def more(self) -> str:
        """The next page, or a line that says that there is none."""
        return self.page(self.number + 1)

    def page(self, number: int) -> str:
        """That page with a last line that says where it stands."""
        if not self.lines:
            return "(there is no result yet)"
        if not 1 <= number <= self.count:
            return f"(the last result has {self.count} page{'s' * (self.count != 1)})"
        self.number = number
        start = (number - 1) * self._page_lines
        shown = self.lines[start : start + self._page_lines]
        if self.count == 1:
            return "\n".join(shown)
        where = f"lines {start + 1}-{start + len(shown)} of {len(self.lines)}, page {number} of {self.count}"
        ways = "more, page N, find TEXT" if number < self.count else "page N, find TEXT"
        return "\n".join((*shown, f"-- {where}: {ways} --"))

    def find(self, text: str) -> str:
        """The lines that hold the text, whatever its case, with their pages."""
        wanted = text.casefold()
        hits = [
            f"p. {index // self._page_lines + 1:>3}  {line.strip()}"
            for index, line in enumerate(self.lines)
            if wanted in line.casefold()
        ]
        if not hits:
            return f"(the last result does not hold {text!r} in one line)"
        rest = [f"(and {len(hits) - _HITS} lines more)"] if len(hits) > _HITS else []
        return "\n".join(hits[:_HITS] + rest)


def readable(text: str) -> str:
    """JSON with a line for each value; any other text as it is. Control characters can't reach the terminal."""
    return harmless(_indented(text))


def harmless(text: str) -> str:
    """The text with control characters spelled out: a page must not move the cursor or clear the screen."""
    return "".join(
        char if char in "\n\t" or char.isprintable() else _spelled(char) for char in text
    )


def fitted(text: str, width: int) -> list[str]:
    """Its lines, long ones broken between words; what follows a break keeps the line's indentation."""
    fitting: list[str] = []
    for line in text.expandtabs(4).split("\n"):
        if len(line) <= width:
            fitting.append(line)
            continue
        indent = line[: min(len(line) - len(line.lstrip()), _INDENT)]
        fitting += textwrap.wrap(
            line, width, subsequent_indent=indent, break_on_hyphens=False, tabsize=4
        )
    return fitting


def _indented(text: str) -> str:
    if not text.startswith(("{", "[")):
        return text
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):  # a page that begins with a bracket, a result that was cut
        return text


def _spelled(char: str) -> str:
    if char.isspace() and char not in "\r\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029":
        return " "  # no-break and other wide spaces
    return char.encode("unicode_escape").decode()
