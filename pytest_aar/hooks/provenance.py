"""Where the figures of a run come from."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from pytest_aar import session
from pytest_aar.settings import Settings, zim_choice

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_aar.agents import Agent

_PROVENANCE = pytest.StashKey[dict[str, Any]]()


def run_provenance(config: pytest.Config, run: Path) -> dict[str, Any]:
    """Where this run's figures come from; asked before the first race, it stays what it was.

    Asking git may make it open files, the decoy too: nothing to do while an agent races.
    """
    from pytest_aar.results import provenance_of  # noqa: PLC0415 - at the first race, not at start-up

    if _PROVENANCE not in config.stash:
        from pytest_aar.race import subject_of  # noqa: PLC0415 - at the first race, not at start-up

        settings, agent = session.settings_of(config), _agent_of(config)
        config.stash[_PROVENANCE] = provenance_of(
            run,
            settings,
            config.rootpath,
            isolation=_isolation_name(config),
            tested=subject_of(settings, agent),
            world_file=_world_file(settings),
        )
    known_facts: dict[str, Any] = config.stash[_PROVENANCE]
    return known_facts | {"started_at": time.time()}


def _world_file(settings: Settings) -> Mapping[str, str] | None:
    choice = zim_choice(settings.world)
    if choice is None:
        return None
    from pytest_aar.gateway.zim_world import zim_file  # noqa: PLC0415 - only this world needs it

    file = zim_file(choice, settings)
    return None if file is None else file.edition.facts


def _agent_of(config: pytest.Config) -> Agent | None:
    from pytest_aar.agents import make_agent  # noqa: PLC0415 - at the first race, not at start-up

    settings = session.settings_of(config)
    return None if settings.agent is None else make_agent(settings.agent, settings.agent_options)


def _isolation_name(config: pytest.Config) -> str:
    """Where programs would run: of an agent by somebody else nobody knows beforehand whether it starts some."""
    from pytest_aar.agents import AGENT_NAMES  # noqa: PLC0415 - at the first race, not at start-up

    settings = session.settings_of(config)
    if settings.agent is not None and settings.agent not in AGENT_NAMES:
        from pytest_aar.box import probe  # noqa: PLC0415 - only where programs are run

        # Not kept as the run's: the header would promise a box, and the class itself runs in none.
        return probe(settings.isolation).name
    known = session.known_isolation(config)
    return "in-process" if known is None else known.name
