"""Interactions as they stand in files: each conversation as what it adds to the one before."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict

from pytest_aar.cassettes.asked import Asked, Interaction, Part
from pytest_aar.cassettes.blobs import Blob
from pytest_aar.cassettes.passing import is_passing


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Message(_Strict):
    """A message that an interaction adds: `body` is the hash of its canonical JSON."""

    role: str
    gist: str
    body: str


class Entry(_Strict):
    """One interaction; messages: the first `kept` of the last entry at this URI, then `added`."""

    key: str
    method: str
    uri: str
    status: int
    headers: Mapping[str, str]
    request_bytes: int
    response_bytes: int
    head: str
    kept: int
    added: tuple[Message, ...]
    response: str


@dataclass(slots=True)
class EntryWriter:
    """Turns interactions into entries, one after the other."""

    _before: dict[str, tuple[Part, ...]] = field(default_factory=dict)

    def entry(self, interaction: Interaction) -> Entry:
        """The next entry."""
        asked = interaction.asked
        kept = same_start(self._before.get(asked.uri, ()), asked.messages)
        self._before[asked.uri] = asked.messages
        return Entry(
            key=asked.key,
            method=asked.method,
            uri=asked.uri,
            status=interaction.status,
            headers=interaction.headers,
            request_bytes=asked.length,
            response_bytes=interaction.body.length,
            head=asked.head.digest,
            kept=kept,
            added=tuple(
                Message(role=part.role, gist=part.gist, body=part.blob.digest)
                for part in asked.messages[kept:]
            ),
            response=interaction.body.digest,
        )


@dataclass(slots=True)
class EntryReader:
    """Turns entries back into interactions; `blob` finds content by its hash."""

    blob: Callable[[str], Blob]
    _before: dict[str, tuple[Part, ...]] = field(default_factory=dict)

    def interaction(self, entry: Entry, *, took_seconds: float, sequence: int) -> Interaction:
        """The next interaction."""
        added = tuple(Part(each.role, self.blob(each.body), each.gist) for each in entry.added)
        messages = self._before.get(entry.uri, ())[: entry.kept] + added
        self._before[entry.uri] = messages
        asked = Asked(
            method=entry.method,
            uri=entry.uri,
            head=self.blob(entry.head),
            messages=messages,
            key=entry.key,
        )
        return Interaction(
            asked=asked,
            status=entry.status,
            headers=entry.headers,
            body=self.blob(entry.response),
            took_seconds=took_seconds,
            sequence=sequence,
        )


def same_start(before: Sequence[Part], now: Sequence[Part]) -> int:
    """How many messages two conversations share from the beginning."""
    count = 0
    for one, other in zip(before, now, strict=False):
        if one.blob.digest != other.blob.digest:
            break
        count += 1
    return count


def blobs_of(interaction: Interaction) -> Iterator[Blob]:
    """Everything that the interaction's entry refers to."""
    yield interaction.asked.head
    for part in interaction.asked.messages:
        yield part.blob
    yield interaction.body


def settled(interactions: Sequence[Interaction]) -> list[Interaction]:
    """The interactions worth keeping, in the order they were asked.

    What is passing (429, 5xx, a refused account) goes when a later attempt of the same request was answered.
    """
    ordered = sorted(interactions, key=lambda each: each.sequence)
    succeeded: set[str] = set()
    kept: list[Interaction] = []
    for interaction in reversed(ordered):
        if not is_passing(interaction):
            succeeded.add(interaction.asked.key)
        elif interaction.asked.key in succeeded:
            continue
        kept.append(interaction)
    return kept[::-1]
