"""What the lookout looks for: names and numbers that only the files with the answers hold."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .folding import fold, fold_apart

#: Shorter ones stand in honest text by chance.
_SHORTEST = 12
_HEAD = 8
#: What may stand within an id: dashes, and what folding leaves of the line breaks that JSON escapes.
_BREAKS = b"-nrt"
_GUID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
#: What may stand between a folder's name and a path below it: `cd legs; cat linear/easy/001.json`.
_GAP = rb"(?![\w-])(?:.{0,80}?[^\w-])?"
_BEFORE, _AFTER = rb"(?<![\w-])", rb"(?![\w-]|\.\w)"
_SHA256 = re.compile(r"[0-9a-f]{64}", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Needle:
    """A text that no honest race meets; `what` names it for people.

    `head` is looked for first, in a folded text. `broken` is an id that counts also with its dashes left out.
    `pattern` is a path's, with what must stand around it. A `faint` one is told only where no other is found.
    """

    what: str
    whole: bytes
    head: bytes
    broken: bool = False
    faint: bool = False
    pattern: re.Pattern[bytes] | None = None

    @property
    def is_path(self) -> bool:
        """Whether it leads to a place; where no such place can be seen, it proves nothing."""
        return self.pattern is not None

    def stands_in(self, folded: bytes) -> bool:
        """Whether it stands in a folded text; of a path, whether it may."""
        at = folded.find(self.head)
        while at >= 0:
            if self._stands_at(folded, at):
                return True
            at = folded.find(self.head, at + 1)
        return False

    def _stands_at(self, folded: bytes, at: int) -> bool:
        if not self.broken:
            return True  # the head is the whole
        there = folded[at : at + 2 * len(self.whole)].translate(None, _BREAKS)
        return there.startswith(self.whole)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPath:
    """A path as it may be written. `below`: the folder whose name stands somewhere before it, not only next to it."""

    what: str
    path: str
    below: str = ""
    faint: bool = False


def found_in(needles: Sequence[Needle], data: bytes) -> list[Needle]:
    """The needles that stand in a text; the faint ones only without others."""
    folded = fold(data)
    found = [needle for needle in needles if needle.stands_in(folded)]
    if any(needle.pattern for needle in found):
        apart = fold_apart(data)
        found = [each for each in found if each.pattern is None or each.pattern.search(apart)]
    return [needle for needle in found if not needle.faint] or found


def guid_needle(text: Any, what: str) -> Needle | None:
    """The needle of a GUID; None when the text is none (published legs have no canary)."""
    if not isinstance(text, str) or _GUID.fullmatch(text.strip()) is None:
        return None
    whole = fold(text.encode()).replace(b"-", b"")
    return Needle(what=what, whole=whole, head=whole[:_HEAD], broken=True)


def path_needle(path: NamedPath) -> Needle | None:
    """The needle of a path; None when it is too short to be told from a word."""
    folder, end = (fold(_bytes(text)) for text in (path.below, path.path))
    whole = folder + b"/" + end if folder else end
    if len(whole) < _SHORTEST or b"/" not in whole.strip(b"/"):
        return None
    before = b"" if whole.startswith(b"/") else _BEFORE
    after = b"" if whole.endswith(b"/") else _AFTER
    between = _loosely(folder) + _GAP if folder else b""
    pattern = re.compile(before + between + _loosely(end) + after, re.DOTALL)
    return Needle(what=path.what, whole=whole, head=end, faint=path.faint, pattern=pattern)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _loosely(text: bytes) -> bytes:
    """The text, or the same with line breaks and quotes within it."""
    return rb"\n*".join(re.escape(bytes((byte,))) for byte in text)


def leg_needles(ids: Mapping[str, Any], paths: Iterable[NamedPath]) -> tuple[Needle, ...]:
    """The needles of one leg: its ids (what -> text), and the paths that lead to it.

    A path that holds another one is left out (whoever names it is found by the other), but for a faint one's sake.
    """
    found = [_id_needle(text, what) for what, text in ids.items()]
    found += [path_needle(path) for path in paths]
    known = {needle.whole: needle for needle in reversed(found) if needle is not None}
    clear = [needle.whole for needle in known.values() if not needle.faint]
    return tuple(
        needle
        for needle in reversed(known.values())
        if not any(other in needle.whole for other in clear if other != needle.whole)
    )


def _id_needle(text: Any, what: str) -> Needle | None:
    if isinstance(text, str) and _SHA256.fullmatch(text):
        whole = text.lower().encode()
        return Needle(what=what, whole=whole, head=whole[:_HEAD], broken=True)
    return guid_needle(text, what)


def leg_paths(file: Path | None, *, root: Path, legs: str, leg_id: str) -> Iterable[NamedPath]:
    """How a leg's file may be named. `file` is None where only the id is known, `legs` the name of the legs folder.

    An id alone is no path of ours: pages may have a `cities/paris.json`.
    """
    what, own = "the path of the leg's file", f"{leg_id}.json"
    # a plain name may be that of a file of the agent's: the folder must stand right before it
    yield (
        NamedPath(what=what, path=own, below=legs)
        if "/" in own
        else NamedPath(what=what, path=f"{legs}/{own}")
    )
    if file is None:
        return
    yield NamedPath(what=what, path=str(file))
    near = str(file.relative_to(root)) if file.is_relative_to(root) else own
    if near != own:
        yield NamedPath(what=what, path=near)
    if not root.is_relative_to(file.parent):  # else it is where the agent itself may lie
        folder = file.parent.relative_to(root) if near != own else file.parent
        yield NamedPath(what="the folder of the leg's file", path=str(folder), faint=True)
