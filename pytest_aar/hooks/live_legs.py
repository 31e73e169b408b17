"""A note for runs that learn only from the collected legs that they go to the live world."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_aar import session
from pytest_aar.leg_file import read_leg
from pytest_aar.leg_refs import leg_item_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_aar.settings import Settings


class LiveLegs:
    """Says `note` once, after collection, if there is a leg of the live world. Lives on the controller only."""

    def __init__(self, config: pytest.Config, settings: Settings, note: str) -> None:
        self._config, self._settings, self._note = config, settings, note

    def pytest_report_collectionfinish(self, items: Sequence[pytest.Item]) -> list[str]:
        """Below the number of collected items."""
        legs = (session.leg_of(item) for item in items)
        return self._lines(leg.path for leg in legs if leg is not None)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """The controller of pytest-xdist collects nothing: its workers tell it what they found."""
        legs = (leg_item_of(nodeid, self._settings) for nodeid in ids)
        lines = self._lines(self._config.rootpath / leg[0] for leg in legs if leg is not None)
        terminal: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        for line in lines if terminal is not None else ():
            terminal.write_line(line)

    def _lines(self, files: Iterable[Path]) -> list[str]:
        note, self._note = self._note, ""  # all workers collect the same: one look is enough
        return note.splitlines() if note and any(map(self._is_live, files)) else []

    def _is_live(self, file: Path) -> bool:
        return not read_leg(file, legs_root=self._settings.legs_root).is_sandbox
