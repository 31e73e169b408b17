"""A request as the cassette knows it, and the answer it got."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

from pytest_aar.cassettes.blobs import Blob


@dataclass(frozen=True, slots=True)
class Part:
    """One message of a conversation in canonical form; `gist` is its first words, for people."""

    role: str
    blob: Blob
    gist: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A canonical request.

    `uri` is the endpoint for model calls (no host), a full URL for the rest.
    `head` is the body without its messages; `messages` is empty for anything but a conversation.
    """

    method: str
    uri: str
    head: Blob
    messages: tuple[Part, ...] = ()
    key: str = ""

    @property
    def length(self) -> int:
        """Bytes of the canonical body."""
        return self.head.length + sum(part.blob.length for part in self.messages)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """A request with its complete answer; `sequence` counts requests as they were sent."""

    asked: Asked
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Blob
    took_seconds: float = 0.0
    sequence: int = 0

    def __deepcopy__(self, memo: object) -> "Interaction":
        # vcrpy copies each response when it is appended; this one can't change.
        return self

    @property
    def retryable(self) -> bool:
        """Whether clients try again after this status."""
        return self.status == 429 or self.status >= 500  # noqa: PLR2004 - HTTP's own numbers


def keyed(method: str, uri: str, head: Blob, messages: tuple[Part, ...] = ()) -> Asked:
    """The request with its key: a hash over method, URI and the hashes of its parts."""
    parts = [method, uri, head.digest, *(part.blob.digest for part in messages)]
    key = blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()
    return Asked(method=method, uri=uri, head=head, messages=messages, key=key)
