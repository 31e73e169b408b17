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
    """Counts the races that a run set out for. Lives on the controller only."""

    def __init__(self, config: pytest.Config) -> None:
        self._config, self._count = config, 0

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """The items of legs that are left after all choices."""
        self._note(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """The controller of pytest-xdist collects nothing: its workers tell it what they found."""
        self._note(ids)

    def _note(self, ids: Iterable[str]) -> None:
        settings = session.settings_of(self._config)
        self._count = sum(leg_item_of(nodeid, settings) is not None for nodeid in ids)

    def left(self, raced: int, exitstatus: int) -> str:
        """What to say of an interrupted run's races that were not run; "" where there are none."""
        left = self._count - raced
        if exitstatus != pytest.ExitCode.INTERRUPTED or left <= 0:
            return ""
        return whole(
            f"{left} race{'s' if left > 1 else ''} not run; go on with --aar-resume", self._config
        )
