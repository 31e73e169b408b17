"""The seam between the gateway and one wire protocol of models."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from .vendors import Vendor


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Token counts of one reply; None where the reply does not say.

    `input_tokens` are all that went in, those read from or written to a cache included; `cached_tokens`
    are those of them that were read from a cache, `cache_write_tokens` those written to one, where that has
    a price of its own.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamFailure:
    """An error that came as an event of a stream. `is_the_agents`: it speaks of what the request holds."""

    code: str
    message: str
    is_the_agents: bool

    @classmethod
    def of(cls, error: Any, *, named_by: str, agents: frozenset[str]) -> "StreamFailure":
        """Of an event's error; the field `named_by` holds its code, `agents` are those that are the agent's."""
        error = error if isinstance(error, Mapping) else {}
        code = str(error.get(named_by) or f"no {named_by}")
        message = f"{code}: {error.get('message') or 'no message'}"
        return cls(code=code, message=message, is_the_agents=code in agents)


class StreamTap(Protocol):
    """Sits in a stream of server-sent events: passes bytes on and reads the usage on the way."""

    @property
    def usage(self) -> Usage:
        """The usage seen so far."""
        ...

    @property
    def is_whole(self) -> bool:
        """Whether all of a reply has passed, so that a client may leave."""
        ...

    @property
    def fault(self) -> str | None:
        """After the end: why the stream was no whole reply of a model, or None."""
        ...

    def feed(self, chunk: bytes) -> bytes:
        """What the client gets for this chunk (b"" while an event is incomplete)."""
        ...

    def end(self) -> bytes:
        """What the client still gets at the end of the stream."""
        ...


class WireProtocol(Protocol):
    """Everything that differs between wire protocols.

    `prelude` names the types of events that a stream begins with and that say nothing yet: until
    another one comes, a failed stream can be asked for again. Empty: streams are handed on unread.
    """

    name: str
    path: str
    upstream_path: str
    vendor: Vendor
    prelude: frozenset[str]

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

    def failure(self, event: Mapping[str, Any]) -> StreamFailure | None:
        """What an event of a stream says of a failure, None if nothing."""
        ...

    def refusal(self, message: str, *, code: str) -> Refusal:
        """An error that clients of this protocol never retry."""
        ...

    def question(self, instructions: str, text: str) -> dict[str, Any]:
        """A request for a text, without model and tools."""
        ...

    def text_of(self, reply: Mapping[str, Any]) -> str | None:
        """The text that a complete reply says; None when it says none."""
        ...
