"""How to go on with a run: `--aar-resume` with the run's folder, and how many races an interrupted run left."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_aar import session
from pytest_aar.leg_refs import leg_item_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_aar.results import RaceRecord

_RESUME = re.compile(r"--aar-resume(?: --aar-results DIR)?(?! --aar-results)(?=[\s,;.()]|$)")


def whole(text: str, config: pytest.Config) -> str:
    """The text with this run's folder wherever it says `--aar-resume`, which alone is refused."""
    if "--aar-resume" not in text:
        return text
    command = f"--aar-resume --aar-results {shlex.quote(_shown(config))}"
    return _RESUME.sub(lambda _: command, text)


def _shown(config: pytest.Config) -> str:
    folder, here = session.run_folder(config), config.invocation_params.dir
    relative = folder.is_relative_to(here) and Path.cwd() == here
    return str(folder.relative_to(here) if relative else folder)


class Planned:
    """The legs' items that a run set out for: which of their races are left. Lives on the controller only."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._legs: list[tuple[str, int]] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """The items of legs that are left after all choices."""
        self._note(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """The controller of pytest-xdist collects nothing: its workers tell it what they found."""
        self._note(ids)

    def _note(self, ids: Iterable[str]) -> None:
        settings = session.settings_of(self._config)
        self._legs = [leg for nodeid in ids if (leg := leg_item_of(nodeid, settings))]

    def left(self, races: Iterable[RaceRecord], exitstatus: int) -> str:
        """What to say of an interrupted run's races that were not run; "" where there are none."""
        if exitstatus != pytest.ExitCode.INTERRUPTED:
            return ""
        from pytest_aar.leg_file import leg_id_of  # noqa: PLC0415 - only where a run was interrupted

        root, legs_root = self._config.rootpath, session.settings_of(self._config).legs_root
        raced = {(race.leg, race.repeat) for race in races}  # of ordinary tests, too
        left = sum(
            (leg_id_of(root / file, legs_root), repeat) not in raced for file, repeat in self._legs
        )
        if not left:
            return ""
        return whole(
            f"{left} race{'s' if left > 1 else ''} not run; go on with --aar-resume", self._config
        )
