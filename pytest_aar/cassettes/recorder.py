"""Recording: the journal while it runs, the cassette when it ends."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_aar.cassettes import cassette_file
from pytest_aar.cassettes.asked import Interaction
from pytest_aar.cassettes.cassette_file import Recording
from pytest_aar.cassettes.entries import settled
from pytest_aar.cassettes.faults import unwritable
from pytest_aar.cassettes.journal import Journal
from pytest_aar.cassettes.metadata import Metadata
from pytest_aar.cassettes.passing import is_passing
from pytest_aar.errors import InfrastructureError, SecretFound
from pytest_aar.secrets import Secrets


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The cassette to write.

    A `shared` one is merged with what other recorders put there meanwhile.
    `renew`: new answers replace recorded ones; else what is recorded stays.
    """

    path: Path
    metadata: Metadata
    secrets: Secrets
    shared: bool
    renew: bool

    def old(self) -> tuple[Interaction, ...]:
        """What is there now.

        Raises:
            CassetteCorrupted: something is there, but not whole.
        """
        if not cassette_file.exists(self.path):
            return ()
        return cassette_file.read(self.path).interactions

    def must_exist(self) -> bool:
        """Whether even an empty recording says something: a race that called no tool at all."""
        return self.shared and not cassette_file.exists(self.path)

    def write(self, interactions: Sequence[Interaction], open_ends: Sequence[str] = ()) -> None:
        """Put the interactions there, and what the race was waiting for when its time was up.

        Raises:
            InfrastructureError: a secret in them, disk full, ...; the old cassette stays.
        """
        cassette_file.update(
            self.path,
            lambda path: self._recording(path, interactions, open_ends),
            secrets=self.secrets,
        )

    def _recording(
        self, path: Path, interactions: Sequence[Interaction], open_ends: Sequence[str]
    ) -> Recording:
        if self.shared:
            old = cassette_file.read_or_none(path)
            interactions = self._merged(old.interactions if old else (), interactions)
        return Recording(
            metadata=self.metadata,
            interactions=tuple(interactions),
            open_ends=tuple(open_ends),
            recorded_at=cassette_file.now(),
        )

    def _merged(self, old: Sequence[Interaction], new: Sequence[Interaction]) -> list[Interaction]:
        """One interaction per request, sorted by URI: the same for every order of recorders."""
        merged = {each.asked.key: each for each in old}
        recorded_now: set[str] = set()
        for each in new:
            there = merged.get(each.asked.key)
            may_replace = self.renew and each.asked.key not in recorded_now
            if there is None or is_passing(there) or may_replace:
                merged[each.asked.key] = each
                recorded_now.add(each.asked.key)
        return sorted(merged.values(), key=lambda each: (each.asked.uri, each.asked.key))


class Recorder:
    """Keeps complete interactions: in memory, in the journal, and at the end in the target.

    `problem` is set when the journal could not be kept; the race goes on, `save` decides.
    """

    def __init__(self, target: Target, journal: Journal, resumed: Sequence[Interaction]) -> None:
        self.resumed = tuple(resumed)
        self.problem: InfrastructureError | None = None
        self._target, self._journal = target, journal
        self._new: list[Interaction] = []

    @classmethod
    def open(cls, target: Target, journal_path: Path, *, resume: bool) -> "Recorder":
        """Become the one recorder of the target; `resume` takes over an interrupted recording.

        Raises:
            InfrastructureError: another recorder is at it, or the folder can't be written.
        """
        journal = Journal.open(journal_path)
        if not resume:
            journal.start()
            return cls(target, journal, ())
        # The last thing before a kill may be a failure that the client was about to try again.
        return cls(target, journal, [each for each in journal.resume() if not is_passing(each)])

    def add(self, interaction: Interaction) -> None:
        """Keep one interaction; never raises, a race is not lost over a full disk."""
        self._new.append(interaction)
        if self.problem is None:
            self.problem = self._journalled(interaction)

    def forget(self, keys: Collection[str]) -> None:
        """Write the journal anew without what these requests got."""
        self.resumed = tuple(each for each in self.resumed if each.asked.key not in keys)
        self._new = [each for each in self._new if each.asked.key not in keys]
        if self.problem is not None:
            return
        self._journal.start()
        for each in (*self.resumed, *self._new):
            self.problem = self.problem or self._journalled(each)

    def save(self, *, played: Sequence[Interaction], open_ends: Sequence[str] = ()) -> None:
        """Write the target and empty the journal. `played`: what the race used, also of `resumed`.

        `open_ends`: keys of what it was waiting for when its time was up.

        Raises:
            InfrastructureError: a secret in it, disk full, ...; journal and old cassette stay.
        """
        nothing_new = not self._new and not self.resumed and not open_ends
        if nothing_new and not self._target.must_exist():
            return
        if self._target.shared:
            kept = [*self.resumed, *self._new]
        else:
            new = {id(each) for each in self._new}
            kept = [*(each for each in played if id(each) not in new), *self._new]
        try:
            self._target.write(settled(kept), open_ends)
        except SecretFound as refusal:
            self.problem = refusal
            raise
        self._journal.start()
        self.problem = None

    def close(self) -> None:
        """Let go of the lock. What was not saved stays in the journal, unless the race met a secret.

        Going on with such a recording would meet it again.
        """
        self._journal.close(keep=not isinstance(self.problem, SecretFound))

    def _journalled(self, interaction: Interaction) -> InfrastructureError | None:
        try:
            self._journal.append(interaction, secrets=self._target.secrets)
        except SecretFound as refusal:
            return SecretFound(f"{refusal} It came with {interaction.asked.uri}.")
        except OSError as error:
            return unwritable(self._journal.path, error)
        return None
