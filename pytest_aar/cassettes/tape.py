"""A tape: one cassette in use by one race, replaying or recording."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_aar.cassettes.asked import Asked, Interaction
from pytest_aar.cassettes.blobs import Blob
from pytest_aar.cassettes.canonical import Canonical
from pytest_aar.cassettes.misses import Miss, explain
from pytest_aar.cassettes.passing import is_passing
from pytest_aar.cassettes.recorder import Recorder
from pytest_aar.cassettes.reel import Reel
from pytest_aar.cassettes.unanswered import Unanswered
from pytest_aar.errors import InfrastructureError, RecordedTimeout, ReplayDiverged

_TIME_WAS_UP = (
    "the recorded race ran out of time while it waited for this model call: the race is over"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A complete answer, its content decoded; headers of the allow-list only."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    took_seconds: float = 0.0


class Tape:
    """Answers requests from a cassette, or records them. Made by `open_tape`.

    `hits`, `recorded`: how many requests were replayed and recorded. `misses`: requests that replay
    could not answer, kept even when the agent swallowed the error. `stale`: recorded circumstances
    that differ from today's. `problem`: why the recording can't be kept (disk full, a secret),
    else None.
    """

    def __init__(
        self,
        *,
        path: Path,
        reel: Reel,
        canonical: Canonical,
        recorder: Recorder | None,
        stale: tuple[str, ...] = (),
        open_ends: Sequence[str] = (),
    ) -> None:
        self.path, self.stale = path, stale
        self._open_ends = frozenset(open_ends)
        self._unanswered = Unanswered()
        self.hits = self.recorded = 0
        self._reel, self._canonical, self._recorder = reel, canonical, recorder
        self._unredacted = canonical.unredacted()
        self._misses: list[Miss] = []
        self._sent = len(reel.interactions)

    @property
    def recording(self) -> bool:
        """Whether unknown requests go on to the network and are recorded."""
        return self._recorder is not None

    @property
    def replaying(self) -> bool:
        """Whether requests are answered from a recording alone."""
        return not self.recording

    @property
    def misses(self) -> tuple[Miss, ...]:
        """Requests that replay could not answer, in order."""
        return tuple(self._misses)

    def forget_misses(self, *, after: int) -> None:
        """Keep only the first so many: what was missed after them could be done without."""
        del self._misses[after:]

    @property
    def unplayed(self) -> tuple[Interaction, ...]:
        """Recorded interactions of a model tape that nobody asked for; empty while recording."""
        if self.recording or self._reel.repeats:
            return ()
        interactions = self._reel.interactions
        return tuple(interactions[number] for number in self._reel.unplayed)

    @property
    def recorded_urls(self) -> tuple[str, ...]:
        """The canonical addresses of all that is recorded."""
        return tuple(each.asked.uri for each in self._reel.interactions)

    @property
    def problem(self) -> InfrastructureError | None:
        """Why the recording can't be kept, or None."""
        return self._recorder.problem if self._recorder else None

    @property
    def fault(self) -> InfrastructureError | None:
        """What the tape says against the race, though its agent may have gone on over it."""
        if self._misses:
            return ReplayDiverged(self._misses[0].text(self.path))
        return self.problem

    def tag(self, text: str, tag: str) -> None:
        """One more of `TapeOptions.tags`, for text that is known only after opening.

        The gateway's address of the race belongs here, under `GATEWAY_TAG`, when a model may repeat it.
        """
        self._canonical.tag(text, tag)
        if self._unredacted is not None:
            self._unredacted.tag(text, tag)

    def ask(self, method: str, url: str, body: bytes, *, endpoint: str | None) -> Asked:
        """The canonical form of a request; `endpoint` marks a model call and replaces the host.

        A secret of this machine may be an honest word where the tape was recorded: a request that is
        not there with it redacted is looked for as it is.
        """
        asked = self._canonical.asked(method, url, body, endpoint=endpoint)
        if self.recording or self._unredacted is None or self._knows(asked):
            return asked
        plain = self._unredacted.asked(method, url, body, endpoint=endpoint)
        return plain if self._knows(plain) else asked

    def _knows(self, asked: Asked) -> bool:
        return self._reel.knows(asked) or asked.key in self._open_ends

    def play(self, asked: Asked) -> Answer | None:
        """The recorded answer; None while recording: the request has to go to the network.

        Raises:
            ReplayDiverged: replaying, and there is none.
            RecordedTimeout: the recorded race was waiting for this one when its time was up.
        """
        played = self._reel.play(asked)
        if played is not None:
            self.hits += 1
            return Answer(
                status=played.status,
                headers=played.headers,
                body=self._canonical.revive_answer(played.body.read()),
                took_seconds=played.took_seconds,
            )
        if self._recorder is None:
            if asked.key in self._open_ends:
                raise RecordedTimeout(_TIME_WAS_UP)
            miss = explain(asked, self._reel.interactions)
            self._misses.append(miss)
            raise ReplayDiverged(miss.text(self.path))
        return None

    def sent(self, asked: Asked) -> int:
        """Number a request that goes to the network: recordings keep the order of asking."""
        self._sent += 1
        self._unanswered.send(self._sent, asked)
        return self._sent

    def dropped(self, sequence: int) -> None:
        """Nobody waits for the answer to this request any more; does nothing when it came."""
        self._unanswered.drop(sequence)

    def record(self, asked: Asked, answer: Answer, *, sequence: int) -> None:
        """Keep a complete answer; does nothing when the tape is closed or replays."""
        self._unanswered.end(sequence)
        if self._recorder is None:
            return
        interaction = Interaction(
            asked=asked,
            status=answer.status,
            headers={k: self._canonical.redact(v) for k, v in answer.headers.items()},
            body=Blob.of(self._canonical.clean_answer(answer.body)),
            took_seconds=answer.took_seconds,
            sequence=sequence,
        )
        self.recorded += 1
        self._recorder.add(interaction)
        # What is passing must not answer the next attempt: it never gets onto the reel.
        if not is_passing(interaction):
            self._reel.append(interaction)

    def forget(self, keys: Collection[str]) -> None:
        """Of these requests a recording keeps no answer: neither this race nor a later recorder starts from them."""
        if self._recorder is not None and keys:
            self._recorder.forget(keys)

    def save(self, *, timed_out: bool = False) -> None:
        """Write the cassette and delete the journal; without new interactions nothing is touched.

        `timed_out`: the race ran out of time; what it was waiting for then ends its replay, too.

        Raises:
            InfrastructureError: a secret in it, disk full, ...; the old cassette and the journal
                stay.
        """
        if self._recorder is not None:
            open_ends = self._unanswered.keys if timed_out else ()
            self._recorder.save(played=self._reel.used, open_ends=open_ends)

    def close(self) -> None:
        """End the use of the tape. What was recorded and not saved stays in the journal."""
        if self._recorder is not None:
            self._recorder.close()
            self._recorder = None
