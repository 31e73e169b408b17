"""The seam between the gateway and one wire protocol of models."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Token counts of one reply; None where the reply does not say.

    One meaning for all protocols: `input_tokens` is the whole prompt. `cached_tokens` (read from a cache) and
    `cache_write_tokens` (written to one, where that is priced apart) are parts of it.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An error reply that stops the protocol's clients at once: status, JSON body, headers."""

    status: int
    body: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)


class StreamTap(Protocol):
    """Sits in a stream of server-sent events: passes bytes on and reads the usage on the way."""

    def feed(self, chunk: bytes) -> bytes:
        """What the client gets for this chunk (b"" while an event is incomplete)."""
        ...

    def end(self) -> tuple[bytes, Usage]:
        """What is left over at the end of the stream, and the usage seen."""
        ...


class WireProtocol(Protocol):
    """Everything that differs between wire protocols."""

    name: str
    path: str
    upstream_path: str

    def prepare(
        self, body: Mapping[str, Any], *, model: str, options: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The body as it goes upstream: the run's model and options instead of the agent's."""
        ...

    def counts_as_step(self, body: Mapping[str, Any]) -> bool:
        """Whether this call is a step of the agent (titles and other side calls are not)."""
        ...

    def usage(self, reply: Mapping[str, Any]) -> Usage:
        """Token counts of a complete reply."""
        ...

    def tap(self, body: Mapping[str, Any]) -> StreamTap:
        """A fresh tap for the streamed reply to `body` (as the agent sent it)."""
        ...

    def refusal(self, message: str, *, code: str) -> Refusal:
        """An error that clients of this protocol never retry."""
        ...
