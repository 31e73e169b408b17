"""What can be said against a run's settings before its first race."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_aar.cost import FORM, read_prices
from pytest_aar.errors import AgentNotInstalled, ConfigurationError
from pytest_aar.settings import ZIM

from .boxes import programs_of

if TYPE_CHECKING:
    from pytest_aar.agents import Agent
    from pytest_aar.box import Isolation
    from pytest_aar.gateway import Gateway
    from pytest_aar.settings import Settings


def check_settings(settings: Settings) -> Agent:
    """Make what the settings name once, so that a mistake is found before the first race. Gives the agent.

    Raises ConfigurationError, also for an agent that is not installed or lacks a model.
    """
    from pytest_aar import agents  # noqa: PLC0415 - only races need it

    assert settings.agent is not None  # only asked when an agent was chosen
    if settings.prompt is not None:
        from pytest_aar.prompt import read_template  # noqa: PLC0415 - most runs have none

        read_template(settings.prompt)
    try:
        agent = agents.make_agent(settings.agent, settings.agent_options)
        agent.version()
    except AgentNotInstalled as error:
        raise ConfigurationError(str(error)) from error
    if settings.model is None and agents.needs_model(agent):
        raise ConfigurationError(
            f"agent {agent.name!r} needs a model: choose one with --aar-model NAME (and its key in the "
            "environment, AAR_API_KEY or OPENAI_API_KEY; --aar-base-url URL for a server of your own), or "
            "--aar-model pacer for a dry run without any model"
        )
    if settings.prices is not None:
        read_prices(settings.prices)
    if settings.world.startswith(ZIM):
        from pytest_aar.gateway.zim_world import check_zim  # noqa: PLC0415 - only this world needs it

        check_zim(settings)
    if settings.model is None:
        return agent
    from pytest_aar.gateway import Gateway  # noqa: PLC0415 - loads httpx

    with Gateway(settings) as gateway:
        _check_prices(settings, gateway)
    return agent


def check_box(agent: Agent, settings: Settings, isolation: Isolation) -> None:
    """Raises ConfigurationError when what the agent needs to see, or where it works, would show the answers."""
    from pytest_aar.box import check_programs, check_work_folders  # noqa: PLC0415 - only races need it

    hidden = settings.answer_folders
    check_work_folders(_work_folders(), hidden)
    if isolation.name != "none":
        check_programs(programs_of(agent), hidden)


def _work_folders() -> Path:
    try:
        return Path(tempfile.gettempdir())
    except OSError as error:
        raise ConfigurationError(
            f"no folder for the races' files: {error.strerror or error}; set TMPDIR to one that can be written"
        ) from error


def _check_prices(settings: Settings, gateway: Gateway) -> None:
    """A limit on cost that can't be kept is no limit."""
    # Asking reads the pacer's skills, the base URL and the file.
    model, prices = gateway.model_name, gateway.prices
    assert model is not None  # the settings name one
    limits = {"--aar-max-cost": settings.max_cost, "--aar-max-race-cost": settings.max_race_cost}
    given = [name for name, limit in limits.items() if limit is not None]
    if given and prices.of(model) is None:
        raise ConfigurationError(
            f"{given[0]}: no price is known for model {model!r}; give a table with --aar-prices FILE "
            f"({FORM}), or limit tokens with {given[0].replace('cost', 'tokens')}"
        )
