"""The run's folder as the controller writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_aar import session
from pytest_aar.errors import SecretFound
from pytest_aar.guarded import secrets_of
from pytest_aar.results import (
    RaceRecord,
    RunFolder,
    check_resumable,
    keep_out_of_git,
    read_kept,
)

from .provenance import run_provenance

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import pytest

    from pytest_aar.settings import Settings


class Keeper:
    """Puts races on disk as they end; `stop` is told why when that can't be done."""

    def __init__(
        self, config: pytest.Config, settings: Settings, *, stop: Callable[[str], None]
    ) -> None:
        self._config, self._settings, self._stop = config, settings, stop
        self._folder = RunFolder(session.run_folder(config), secrets=secrets_of(settings))
        self._earlier: dict[tuple[str, str, int], RaceRecord] = {}

    @property
    def path(self) -> Path:
        """The folder."""
        return self._folder.path

    @property
    def resumed(self) -> int:
        """How many scored races the resumed run's folder holds."""
        return sum(race.score is not None for race in self._earlier.values())

    def provenance(self) -> dict[str, Any]:
        """Where the run's figures come from."""
        return run_provenance(self._config, self.path)

    def prepare(self) -> None:
        """Raise ConfigurationError when results could not be written, or belong to another run."""
        if not self._settings.resume:
            self._folder.check()
            return
        provenance = self.provenance()
        check_resumable(self.path, provenance)
        self._folder.resume(provenance)
        self._earlier = read_kept(self.path)

    def holds(self, record: RaceRecord) -> bool:
        """Whether its line is there: taken over from the run that is resumed."""
        return self._earlier.get(record.key) == record

    def keep(self, record: RaceRecord) -> RaceRecord:
        """Write the race's line; gives it as it was written."""
        session.keep_shared(self._config)
        try:
            if not self._folder.begun:
                if self._settings.results is None:
                    keep_out_of_git(session.own_folder(self._config))
                self._folder.begin(self.provenance())
            return self._folder.append(record)
        except OSError as error:
            self._stop(f"can't write results to {self.path}: {error.strerror}")
        except SecretFound as refusal:
            self._stop(str(refusal))
        return record

    def finish(self, facts: Mapping[str, Any]) -> None:
        """Add what is known at the run's end."""
        self._folder.finish(facts)
