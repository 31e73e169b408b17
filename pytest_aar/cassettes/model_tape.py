"""The seam between a race and the recording of its model calls."""

from collections.abc import Sequence
from typing import Protocol

from pytest_aar.cassettes.asked import Asked, Interaction
from pytest_aar.cassettes.misses import Miss
from pytest_aar.cassettes.tape import Answer
from pytest_aar.errors import InfrastructureError


class ModelTape(Protocol):
    """What races and the gateway use of a `Tape`."""

    @property
    def hits(self) -> int:
        """How many requests were replayed."""
        ...

    @property
    def misses(self) -> Sequence[Miss]:
        """Requests that replay could not answer, in order."""
        ...

    @property
    def unplayed(self) -> Sequence[Interaction]:
        """Recorded interactions that nobody asked for."""
        ...

    @property
    def stale(self) -> tuple[str, ...]:
        """Recorded circumstances that differ from today's."""
        ...

    @property
    def recording(self) -> bool:
        """Whether unknown requests go on to the network and are recorded."""
        ...

    @property
    def fault(self) -> InfrastructureError | None:
        """What the tape says against the race."""
        ...

    def tag(self, text: str, tag: str) -> None:
        """Keep `tag` in recordings where this run has `text`."""
        ...

    def ask(self, method: str, url: str, body: bytes, *, endpoint: str | None) -> Asked:
        """The canonical form of a request."""
        ...

    def play(self, asked: Asked) -> Answer | None:
        """The recorded answer; None: the request has to go to the network."""
        ...

    def sent(self, asked: Asked) -> int:
        """Number a request that goes to the network."""
        ...

    def dropped(self, sequence: int) -> None:
        """Nobody waits for the answer to this request any more."""
        ...

    def record(self, asked: Asked, answer: Answer, *, sequence: int) -> None:
        """Keep a complete answer."""
        ...

    def save(self, *, timed_out: bool = False) -> None:
        """Write what was recorded."""
        ...

    def close(self) -> None:
        """End the use of the tape."""
        ...
