"""What manners did in the name of one tool call, and how long a race has stood still for them."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

#: Seconds that one call waits at most, over all its requests and their tries: its caller gets an answer while
#: patience lasts.
LONGEST_WAIT = 120.0


class Pauses:
    """Seconds in which at least one of a race's calls waited for its turn; `seconds` grows while one does.

    `labels` tell for what.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._waiting, self._since, self._ended = 0, 0.0, 0.0
        self.labels: set[str] = set()

    @property
    def seconds(self) -> float:
        """All of them so far."""
        return self._ended + (self._clock() - self._since if self._waiting else 0.0)

    @contextmanager
    def one(self, label: str) -> Iterator[None]:
        """Around one wait."""
        self.labels.add(label)
        if not self._waiting:
            self._since = self._clock()
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._ended += self._clock() - self._since


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """How a service's last request of a call went: "" for an answer, else what was wrong.

    `for_good`: the account's or the run's trouble (a key that is denied, a quota that is used up). `status` is the
    answer's, 0 without one. `is_replayed`: a recording says so. `is_out_of_reach`: there was no connection, and
    waiting for one is no use.
    """

    trouble: str = ""
    for_good: bool = False
    status: int = 0
    is_replayed: bool = False
    is_out_of_reach: bool = False


@dataclass(slots=True, kw_only=True)
class Meter:
    """Seconds waited, by service with its limits; a note for each service that was asked.

    `rested` are the seconds between a request's tries. `languages` are the editions of the encyclopedia that the
    call's race has a use for, None for all: of others it leaves no notes, nor of pages outside the
    services. Agents choose those hosts, and nobody answers for them. `keys` are those of
    its requests on the race's tape. `astray` tells of a request that no service has a place or an understanding for
    though it holds no argument of an agent's, "" without one.
    `tell` is called with a line when a wait of a second or more begins.
    """

    waited: dict[str, float] = field(default_factory=dict)
    rested: float = 0.0
    notes: dict[str, Note] = field(default_factory=dict)
    pauses: Pauses = field(default_factory=Pauses)
    tell: Callable[[str], None] = lambda _: None
    languages: frozenset[str] | None = None
    keys: list[str] = field(default_factory=list)
    astray: str = ""

    def has_use_for(self, edition: str) -> bool:
        """Whether the race has, of an edition of the encyclopedia ("": what is asked is none)."""
        return not edition or self.languages is None or edition in self.languages

    @property
    def is_replayed(self) -> bool:
        """Whether a recording tells what went wrong."""
        return any(note.is_replayed for note in self.notes.values())

    @property
    def refusal(self) -> str:
        """Why all services that were asked have refused for good, "" unless they have."""
        notes = self.notes.values()
        return "; ".join(note.trouble for note in notes) if all(n.for_good for n in notes) else ""

    @property
    def is_out_of_reach(self) -> bool:
        """Whether none of the services that were asked can be reached."""
        return bool(self.notes) and all(note.is_out_of_reach for note in self.notes.values())

    @property
    def outage(self) -> str:
        """What kept services from answering, "" when all that were asked have answered."""
        return "; ".join(note.trouble for note in self.notes.values() if note.trouble)

    @property
    def patience(self) -> float:
        """Seconds that the call may still wait, for turns, for pages or between tries."""
        return max(0.0, LONGEST_WAIT - sum(self.waited.values()) - self.rested)

    def wait(self, service: str, seconds: float) -> None:
        """Add a wait."""
        self.waited[service] = self.waited.get(service, 0.0) + seconds


#: The meter of the tool call in whose name this task runs.
METER: ContextVar[Meter | None] = ContextVar("aar_meter", default=None)


def take_note(service: str, how: Note, *, edition: str = "") -> None:
    """Note how a service's request went for the call in whose name this task runs, if its race has a use for it."""
    meter = METER.get()
    if meter is not None and meter.has_use_for(edition):
        meter.notes[service] = how
