"""What the lookout looks for: names and numbers that only the files with the answers hold."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .folding import fold

#: Shorter ones stand in honest text by chance.
_SHORTEST = 12
_HEAD = 8
#: What may stand within an id: dashes, and what folding leaves of the line breaks that JSON escapes.
_BREAKS = b"-nrt"
_GUID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
_SHA256 = re.compile(r"[0-9a-f]{64}", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Needle:
    """A text that no honest race meets; `what` names it for people.

    `head` is looked for first. `broken` is an id that counts also with its dashes left out. A `faint` one is told
    only where no other is found.
    """

    what: str
    whole: bytes
    head: bytes
    broken: bool = False
    faint: bool = False

    def stands_in(self, folded: bytes) -> bool:
        """Whether it stands in a folded text."""
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


def guid_needle(text: Any, what: str) -> Needle | None:
    """The needle of a GUID; None when the text is none (published legs have no canary)."""
    if not isinstance(text, str) or _GUID.fullmatch(text.strip()) is None:
        return None
    whole = fold(text.encode()).replace(b"-", b"")
    return Needle(what=what, whole=whole, head=whole[:_HEAD], broken=True)


def path_needle(path: str, what: str) -> Needle | None:
    """The needle of a path; None when it is too short to be told from a word."""
    whole = fold(path.encode("utf-8", "surrogateescape"))
    if len(whole) < _SHORTEST or "/" not in path.strip("/"):
        return None
    return Needle(what=what, whole=whole, head=whole, faint=what.startswith("the folder"))


def leg_needles(ids: Mapping[str, Any], paths: Iterable[tuple[str, str]]) -> tuple[Needle, ...]:
    """The needles of one leg: its ids (what -> text), and paths (what, path) that lead to it.

    A path that holds another one is left out: whoever names it is found by the other.
    """
    found = [_id_needle(text, what) for what, text in ids.items()]
    found += [path_needle(path, what) for what, path in paths]
    known = {needle.whole: needle for needle in reversed(found) if needle is not None}
    return tuple(
        needle
        for needle in reversed(known.values())
        if not any(other in needle.whole for other in known if other != needle.whole)
    )


def _id_needle(text: Any, what: str) -> Needle | None:
    if isinstance(text, str) and _SHA256.fullmatch(text):
        whole = text.lower().encode()
        return Needle(what=what, whole=whole, head=whole[:_HEAD], broken=True)
    return guid_needle(text, what)


def leg_paths(file: Path | None, *, root: Path, leg_id: str) -> Iterable[tuple[str, str]]:
    """How a leg's file may be named: what, path. `file` is None where only the id is known."""
    yield "the path of the leg's file", f"{leg_id}.json"
    if file is None:
        return
    near = file.is_relative_to(root)
    yield "the path of the leg's file", str(file.relative_to(root) if near else file)
    yield "the path of the leg's file", str(file)
    if not root.is_relative_to(file.parent):  # else it is where the agent itself may lie
        yield (
            "the folder of the leg's file",
            str(file.parent.relative_to(root) if near else file.parent),
        )
