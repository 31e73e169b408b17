"""The box of one race: what its programs may see, and what of it recordings must not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_aar.agents import Agent
    from pytest_aar.box import Box, BoxPlace, Isolation
    from pytest_aar.gateway import RaceSession
    from pytest_aar.settings import Settings

    from .attempt import Heat


def is_boxed(agent: Agent) -> bool:
    """Whether the agent says that it runs programs."""
    return bool(getattr(agent, "boxed", False))


def reads_itself(agent: Agent, settings: Settings) -> bool:
    """Whether the agent can read this machine's files without a command: code of the user's inside pytest."""
    from pytest_aar.agents import AGENT_NAMES  # noqa: PLC0415 - loads httpx

    return not is_boxed(agent) and settings.agent not in AGENT_NAMES


def programs_of(agent: Agent) -> tuple[Path, ...]:
    """What an agent's programs need to see of this machine; it says so by `programs()`."""
    named = getattr(agent, "programs", None)
    return tuple(named()) if callable(named) else ()


def probed(wanted: str) -> Isolation:
    """What this machine offers; tried once per process."""
    from pytest_aar.box import probe  # noqa: PLC0415 - only races need it

    return probe(wanted)


def box_for(heat: Heat, opened: RaceSession) -> Box:
    """The box of this race; for an agent that starts no programs, made when it does so all the same."""
    from pytest_aar.box import LateBox, make_box  # noqa: PLC0415 - only races need it

    place = _place(heat, opened)

    def make() -> Box:
        box = make_box(heat.isolation(), place, offline=heat.offline)
        tape = opened.order.tapes.model
        if tape is not None:  # answers name the folders as they are called inside
            tape.tag(box.inside(heat.workdir), "{{aar:work}}")
            tape.tag(box.python_folder(), "{{aar:python}}")
        return box

    return make() if is_boxed(heat.agent) else LateBox(make)


def tagged_url(opened: RaceSession) -> str:
    """The gateway's address on this machine; recordings hold a constant in its place."""
    url = opened.url()
    if opened.order.tapes.model is not None:
        opened.order.tapes.model.tag(url, "{{aar:gateway}}")
    return url


def _place(heat: Heat, opened: RaceSession) -> BoxPlace:
    from pytest_aar.box import BoxPlace, Doors, tags  # noqa: PLC0415 - only races need it

    place = BoxPlace(
        workdir=heat.workdir,
        doors=Doors(
            http=lambda: tagged_url(opened), socket=opened.socket, path=f"/r/{opened.token}"
        ),
        programs=programs_of(heat.agent),
        hidden=heat.hidden,
    )
    tape = opened.order.tapes.model
    if tape is not None:
        for text, tag in tags(place).items():
            tape.tag(text, tag)
    return place
