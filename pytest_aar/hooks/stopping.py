"""Ending a run early: when its races can't be run, or their results can't be kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_aar.errors import ServiceRefused
from pytest_aar.results import INFRASTRUCTURE, RaceRecord

from .going_on import whole

if TYPE_CHECKING:
    import pytest

#: So many infrastructure errors in a row, over all workers, stop the run: nothing gets better by itself.
IN_A_ROW = 10


class Stopper:
    """Stops the run that `config` belongs to; on the controller, under pytest-xdist too."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._in_a_row = 0

    def count(self, record: RaceRecord) -> None:
        """Take in how a race went; too many infrastructure errors in a row stop the run."""
        if record.error == ServiceRefused.__name__:
            return  # at once, and the legs that don't need that service go on
        self._in_a_row = self._in_a_row + 1 if record.outcome == INFRASTRUCTURE else 0
        if self._in_a_row == IN_A_ROW:
            self.stop(f"{IN_A_ROW} infrastructure errors in a row, the last: {record.detail}")

    def stop(self, reason: str) -> None:
        """Let what is under way end, and start nothing more."""
        manager = self._config.pluginmanager
        # pytest-xdist's controller has a flag of its own and does not look at the session's
        stoppable: Any = manager.get_plugin("dsession") or manager.get_plugin("session")
        stoppable.shouldstop = f"aar stops the run: {whole(reason, self._config)}"
