"""A shell line taken apart: its simple commands with their words, as a shell would run them.

A reading, no shell: what a variable or a command's output stands for is left open. Time grows with the length of the
line alone, whatever stands in it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

#: Stands in a word for what a command prints.
OPEN = "\0"
_DEEPEST = 5
_PLAIN = re.compile(r"[^ \t\r\f\v\n\"'\\;|&()<>`$]+")
_BLANKS = re.compile(r"(?:[ \t\r\f\v]|\\\n)+")
_COMMENT = re.compile(r"#[^\n]*")
_HEREDOC = re.compile(r"<<(?!<)(-?)[ \t]*(\\?[\w.-]+|'[^'\n]*'|\"[^\"\n]*\")")
_REDIRECT = re.compile(r"(?:<<<|&>>?|>>|>\||[<>]&|[<>])")
_OPERATOR = re.compile(r"\|\||&&|;;|\|&|&(?!>)|[;|()\n]")
_QUOTED = re.compile(r"[^\"\\`$]+")


@dataclass(slots=True, kw_only=True)
class Simple:
    """One command: its words, the files that it is led to, its pipeline's here-documents, and who pipes into it.

    Here-strings count as here-documents.
    """

    words: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)
    before: "Simple | None" = None


def commands_of(line: str, depth: int = 0) -> Iterator[Simple]:
    """The simple commands of a line in their order; those of substitutions come before the command around them."""
    return _Reader(line, depth).commands()


class _Reader:
    """Goes once through the text; substitutions are read by readers of their own, so deep and no deeper."""

    def __init__(self, text: str, depth: int) -> None:
        self._text, self._depth = text, depth
        self._at = 0
        self._command = Simple()
        self._due: list[tuple[str, bool, list[str]]] = []
        self._inner: list[str] = []
        self._ready: list[Simple] = []

    def commands(self) -> Iterator[Simple]:
        while self._at < len(self._text):
            if self._skipped():
                continue
            operator = _OPERATOR.match(self._text, self._at)
            if operator is None:
                self._word_or_redirect()
                continue
            self._at = operator.end()
            self._end(is_piped=operator[0] in ("|", "|&"))
            if operator[0] == "\n":
                self._read_bodies()
                yield from self._done()
        self._end(is_piped=False)
        yield from self._done()

    def _skipped(self) -> bool:
        found = _BLANKS.match(self._text, self._at) or _COMMENT.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return found is not None

    def _end(self, *, is_piped: bool) -> None:
        last = self._command
        before = Simple(words=last.words)
        self._command = Simple(bodies=last.bodies, before=before) if is_piped else Simple()
        if self._depth < _DEEPEST:
            for text in self._inner:
                self._ready += commands_of(text, self._depth + 1)
        self._inner = []
        if last.words:
            self._ready.append(last)

    def _done(self) -> Iterator[Simple]:
        """The commands of a line, once the here-documents below it were read."""
        ready, self._ready = self._ready, []
        yield from ready

    def _word_or_redirect(self) -> None:
        heredoc = _HEREDOC.match(self._text, self._at)
        if heredoc is not None:
            self._at = heredoc.end()
            end = heredoc[2].strip("'\"\\")
            self._due.append((end, bool(heredoc[1]), self._command.bodies))
            return
        redirect = _REDIRECT.match(self._text, self._at)
        if redirect is None:
            self._command.words.append(self._word())
            return
        self._at = redirect.end()
        while self._at < len(self._text) and self._text[self._at] in " \t":
            self._at += 1
        target = self._word()
        if redirect[0] == "<<<":
            self._command.bodies.append(target)
        else:
            self._command.files.append(target)

    def _read_bodies(self) -> None:
        for end, stripped, bodies in self._due:
            lines = []
            while self._at < len(self._text):
                stop = self._text.find("\n", self._at)
                stop = len(self._text) if stop < 0 else stop
                line = self._text[self._at : stop]
                self._at = stop + 1
                if (line.lstrip("\t") if stripped else line) == end:
                    break
                lines.append(line)
            bodies.append("\n".join(lines))
        self._due = []

    def _word(self) -> str:
        parts: list[str] = []
        while self._at < len(self._text):
            part = self._part()
            if part is None:
                break
            parts.append(part)
        return "".join(parts)

    def _part(self) -> str | None:
        plain = _PLAIN.match(self._text, self._at)
        if plain is not None:
            self._at = plain.end()
            return plain[0]
        first = self._text[self._at]
        if first == "'":
            return self._until("'", self._at + 1)
        if first == '"':
            return self._quoted()
        return self._escape_or_dollar(first)

    def _escape_or_dollar(self, first: str) -> str | None:
        if first == "\\":
            self._at += 2
            return self._text[self._at - 1 : self._at].replace("\n", "")
        if first == "`":
            self._inner.append(self._until("`", self._at + 1))
            return OPEN
        if first != "$":
            return None
        if self._text.startswith("$(", self._at):
            return self._substitution()
        self._at += 1
        return "" if self._text[self._at : self._at + 1] in ("'", '"') else "$"

    def _quoted(self) -> str:
        self._at += 1
        parts: list[str] = []
        while self._at < len(self._text) and self._text[self._at] != '"':
            plain = _QUOTED.match(self._text, self._at)
            if plain is not None:
                self._at = plain.end()
                parts.append(plain[0])
            else:
                parts.append(self._escape_or_dollar(self._text[self._at]) or "")
        self._at += 1
        return "".join(parts)

    def _until(self, end: str, start: int) -> str:
        stop = self._text.find(end, start)
        stop = len(self._text) if stop < 0 else stop
        self._at = stop + 1
        return self._text[start:stop]

    def _substitution(self) -> str:
        start = self._at + 2
        self._at = _closing(self._text, start)
        self._inner.append(self._text[start : self._at])
        self._at += 1
        return OPEN


_MARKS = re.compile(r"\\.|'[^']*'?|\"(?:[^\"\\]|\\.)*\"?|[()]", re.DOTALL)


def _closing(text: str, start: int) -> int:
    """Where the parenthesis closes that was opened before `start`; the text's end where it never does."""
    depth = 1
    for mark in _MARKS.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(mark[0], 0)
        if not depth:
            return mark.start()
    return len(text)
