"""The texts of event streams in one piece: a secret may come four characters at a time."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

_EVENT = re.compile(r"data: ?(?=[{\[\"])")
_DECODER = json.JSONDecoder()
#: Fields that name the channel of an event: two answers, or two calls of tools, may come interleaved.
_CHANNELS = ("index", "output_index", "content_index", "summary_index", "item_id")
_DEEPEST = 24

Channel = tuple[str, ...]


def joined_deltas(data: bytes) -> bytes:
    """The texts of each channel of all streams in `data`, joined; one line a channel. Empty without streams.

    Whatever the protocol: a channel is a field's path in the event and the event's indexes.
    """
    if b"data:" not in data:
        return b""
    channels: defaultdict[Channel, list[str]] = defaultdict(list)
    text = data.decode("utf-8", "replace")
    for event in _events(text):
        for channel, piece in _pieces(event, (), 0):
            channels[channel].append(piece)
    joined = ("".join(pieces) for pieces in channels.values() if len(pieces) > 1)
    return "\n".join(joined).encode("utf-8", "replace")


def _events(text: str) -> Iterator[Any]:
    for start in _EVENT.finditer(text):
        try:
            yield _DECODER.raw_decode(text, start.end())[0]
        # Not whole, or only something that looks like an event.
        except (ValueError, RecursionError):
            continue


def _pieces(value: Any, channel: Channel, depth: int) -> Iterator[tuple[Channel, str]]:
    if isinstance(value, str):
        yield channel, value
    elif depth < _DEEPEST and isinstance(value, list):
        for each in value:
            yield from _pieces(each, channel, depth + 1)
    elif depth < _DEEPEST and isinstance(value, dict):
        marks = tuple(f"{name}={value[name]}" for name in _CHANNELS if name in value)
        for name, each in value.items():
            yield from _pieces(each, (*channel, *marks, name), depth + 1)
