"""Reading server-sent events while their bytes pass."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .wire import Usage, WireProtocol


class EventSplitter:
    """Splits a stream into the bytes of its events, wherever its chunks and their line ends are cut."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> list[bytes]:
        """The events that are complete with this chunk, with LF at the ends of their lines."""
        *events, self._rest = (self._rest + chunk).replace(b"\r\n", b"\n").split(b"\n\n")
        return events

    def end(self) -> bytes:
        """The last event, if no blank line ended it."""
        rest, self._rest = self._rest, b""
        return rest


class Events:
    """Reads the events of a stream that mention one of `marks` (all without any)."""

    def __init__(self, *marks: bytes) -> None:
        self._marks = marks
        self._events = EventSplitter()

    def feed(self, chunk: bytes) -> Iterator[dict[str, Any]]:
        """The data of the events that are complete with this chunk, where they are JSON objects."""
        return self._read(self._events.feed(chunk))

    def end(self) -> Iterator[dict[str, Any]]:
        """The last event, if no blank line ended it."""
        return self._read([self._events.end()])

    def _read(self, events: list[bytes]) -> Iterator[dict[str, Any]]:
        for event in events:
            if not self._marks or any(mark in event for mark in self._marks):
                data = event_data(event)
                if data is not None:
                    yield data


class PassingTap:
    """Passes every byte on at once. `ends` are the types of the event that ends a whole reply.

    Of the usage that events tell, later fields win over earlier ones.
    """

    def __init__(self, protocol: WireProtocol, *, ends: frozenset[str]) -> None:
        self._protocol, self._ends = protocol, ends
        self._events = Events(b'"usage"', b"error", b"failed", *(end.encode() for end in ends))
        self._usage: dict[str, Any] = {}
        self._failure: str | None = None
        self._has_ended = False

    @property
    def usage(self) -> Usage:
        """As the protocol reads it."""
        return self._protocol.usage({"usage": self._usage})

    @property
    def is_whole(self) -> bool:
        """Its last event has passed, or an error that is the agent's to hear."""
        return self.fault is None

    @property
    def fault(self) -> str | None:
        """An error event that is not the agent's, or an end that is missing."""
        if self._failure is None and not self._has_ended:
            return f"its stream ended without {' or '.join(sorted(self._ends))}"
        return self._failure or None

    def feed(self, chunk: bytes) -> bytes:
        """The chunk as it is."""
        for event in self._events.feed(chunk):
            self._see(event)
        return chunk

    def end(self) -> bytes:
        """Nothing was held back."""
        for event in self._events.end():
            self._see(event)
        return b""

    def _see(self, event: Mapping[str, Any]) -> None:
        self._has_ended = self._has_ended or event.get("type") in self._ends
        self._usage |= {k: v for k, v in _usage_in(event).items() if v is not None}
        failure = self._protocol.failure(event)
        if failure is not None:
            self._failure = "" if failure.is_the_agents else failure.message


def _usage_in(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """In the event itself, or in the reply that it holds."""
    for holder in (event, event.get("response"), event.get("message")):
        if isinstance(holder, Mapping) and isinstance(holder.get("usage"), Mapping):
            usage: Mapping[str, Any] = holder["usage"]
            return usage
    return {}


def event_data(event: bytes) -> dict[str, Any] | None:
    """The JSON object of one event; None for anything else, such as `[DONE]`."""
    lines = [line[5:].strip() for line in event.split(b"\n") if line.startswith(b"data:")]
    try:
        data = json.loads(b"\n".join(lines))
    except (ValueError, RecursionError):
        return None  # not ours to judge
    return data if isinstance(data, dict) else None


def count_of(value: Any) -> int | None:
    """A token count, if it is one."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
