"""Texts that a stream says in pieces: one that must be replaced may be cut in two by them."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

#: Where events of the three protocols hold a piece of a longer text.
_PLACES: tuple[tuple[str | int, ...], ...] = (
    ("delta", "text"),
    ("delta", "partial_json"),
    ("delta", "thinking"),
    ("delta",),
    ("choices", 0, "delta", "content"),
    ("choices", 0, "delta", "tool_calls", 0, "function", "arguments"),
)
#: They differ from piece to piece and say nothing.
_NOISE = ("sequence_number", "obfuscation")


@dataclass(frozen=True, slots=True)
class _Piece:
    """An event with a piece of text. Pieces with equal frames make one text."""

    block: bytes
    event: dict[str, Any]
    place: tuple[str | int, ...]
    text: str
    frame: str


def joined_where_split(body: bytes, clean: Callable[[str], str]) -> bytes:
    """The stream, with pieces put into one event where `clean` finds something only in the whole of them."""
    if not body.startswith((b"data:", b"event:")):
        return body
    blocks = body.replace(b"\r\n", b"\n").split(b"\n\n")
    pieces = [_piece(block) for block in blocks]
    joined = b"\n\n".join(_runs(blocks, pieces, clean))
    return joined if len(joined.split(b"\n\n")) < len(blocks) else body


def _runs(
    blocks: list[bytes], pieces: list[_Piece | None], clean: Callable[[str], str]
) -> Iterator[bytes]:
    run: list[_Piece] = []
    for block, piece in zip(blocks, pieces, strict=True):
        if run and (piece is None or piece.frame != run[0].frame):
            yield from _said(run, clean)
            run = []
        if piece is None:
            yield block
        else:
            run.append(piece)
    yield from _said(run, clean)


def _said(run: list[_Piece], clean: Callable[[str], str]) -> Iterator[bytes]:
    """The pieces as they came, or one event with all of their text."""
    whole = "".join(piece.text for piece in run)
    if clean(whole) == "".join(clean(piece.text) for piece in run):
        yield from (piece.block for piece in run)
    else:
        yield _event(run[0], whole)


def _piece(block: bytes) -> _Piece | None:
    data = [line[5:] for line in block.split(b"\n") if line.startswith(b"data:")]
    try:
        event = json.loads(b"\n".join(data))
    except (ValueError, RecursionError):
        return None
    if not isinstance(event, dict):
        return None
    for place in _PLACES:
        text = _at(event, place)
        if isinstance(text, str):
            return _Piece(block, event, place, text, json.dumps(_framed(event, place, "")))
    return None


def _at(value: Any, place: tuple[str | int, ...]) -> Any:
    try:
        for step in place:
            value = value[step]
    except (LookupError, TypeError):
        return None
    return value


def _framed(event: dict[str, Any], place: tuple[str | int, ...], text: str) -> dict[str, Any]:
    """The event with another text, without what varies from piece to piece."""
    copy = {name: value for name, value in event.items() if name not in _NOISE}
    copy = json.loads(json.dumps(copy))
    _at(copy, place[:-1])[place[-1]] = text
    return copy  # type: ignore[no-any-return] # an object, as it was


def _event(first: _Piece, text: str) -> bytes:
    noise = {name: first.event[name] for name in _NOISE if name in first.event}
    event = {**_framed(first.event, first.place, text), **noise}
    names = [line for line in first.block.split(b"\n") if line.startswith(b"event:")]
    return b"\n".join([*names, b"data: " + _encoded(event)])


def _encoded(event: dict[str, Any]) -> bytes:
    try:
        return json.dumps(event, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # halves of a character
        return json.dumps(event).encode()
