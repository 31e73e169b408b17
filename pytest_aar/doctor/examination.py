"""All checks, side by side."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pytest_aar.agents import AGENT_NAMES
from pytest_aar.tools import LIVE, Endpoints

from . import installed, keys, machine, versions, walls
from .check import EVERYTHING, MCP, RACES, SANDBOX, ZIM, Check
from .check import LIVE as LIVE_RACES
from .contact import contact
from .in_time import in_time
from .probes import Probes
from .services import services

#: Order of the areas in the table.
AREAS = ("versions", "sandbox", "folders", "machine", "agents", "keys", "services", "extras")
#: Extra, which is a purpose as well -> the package that it brings, what that is for.
_EXTRAS = {MCP: ("mcp", "the MCP server"), ZIM: ("libzim", "--aar-world=zim:PATH")}

_SLOW = "look again when this machine has less to do, or give it longer: --seconds 60"


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient:
    """What is looked at: folders, the environment with its keys, where services are, who asks them.

    `asks_services`: whether services are asked at all.
    """

    legs: Path = Path("legs")
    cassettes: Path = Path("cassettes")
    results: Path = Path(".aar")
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    endpoints: Endpoints = LIVE
    contact: str | None = None
    asks_services: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What finds something out, and what to say of it if it takes too long: of which names, for which purposes."""

    area: str
    names: tuple[str, ...]
    find: Callable[[], Check | Iterable[Check]]
    needed_for: tuple[str, ...] = ()
    told_for: tuple[str, ...] = ()

    def found(self) -> list[Check]:
        """Its findings."""
        found = self.find()
        return [found] if isinstance(found, Check) else list(found)

    def slow(self, seconds: float) -> list[Check]:
        """The same names, not judged after so many seconds."""
        told = f"no answer within {seconds:g} s: not judged"
        return [
            Check(
                area=self.area, name=name, state="slow", found=told, advice=_SLOW,
                needed_for=self.needed_for, told_for=self.told_for,
            )
            for name in self.names
        ]  # fmt: skip


def examine(patient: Patient, probes: Probes | None = None) -> list[Check]:
    """Every finding, by area, after `probes.seconds` at most; `probes` look at another machine than this one."""
    probes = probes or Probes()
    wanted = dict(enumerate(looks(patient, probes)))
    there = in_time({at: look.found for at, look in wanted.items()}, seconds=probes.seconds)
    found = [
        check
        for at, look in wanted.items()
        for check in (there[at] if at in there else look.slow(probes.seconds))
    ]
    return sorted(found, key=lambda check: AREAS.index(check.area))


def looks(patient: Patient, probes: Probes) -> list[Look]:
    """All there is to look at, in the order of the table."""
    asked = partial(services, patient.endpoints, patient.environment, probes, patient.contact)
    return [
        *_of_versions(patient, probes),
        *_of_the_sandbox(probes),
        *_of_folders(patient, probes),
        *_of_agents(probes),
        Look(area="keys", names=("keys",), find=partial(keys.keys, patient.environment, patient.endpoints),
             needed_for=(LIVE_RACES,), told_for=keys.RACERS),
        Look(area="services", names=("contact",), find=partial(contact, patient.contact, patient.endpoints),
             told_for=(LIVE_RACES,)),
        *([Look(area="services", names=("services",), find=asked, needed_for=(LIVE_RACES,))]
          if patient.asks_services else []),
        *(Look(area="extras", names=(name,), find=partial(installed.extra, name, *about, probes), needed_for=(name,))
          for name, about in _EXTRAS.items()),
    ]  # fmt: skip


def _of_versions(patient: Patient, probes: Probes) -> list[Look]:
    plugin = partial(versions.plugin, probes, patient.environment)
    of_it = partial(Look, area="versions")
    return [
        of_it(names=("python",), find=partial(versions.python, probes), needed_for=EVERYTHING),
        of_it(names=("plugin",), find=plugin, needed_for=RACES),
        of_it(names=("packages",), find=partial(versions.packages, probes), needed_for=EVERYTHING),
    ]


def _of_the_sandbox(probes: Probes) -> list[Look]:
    def walled() -> tuple[Check, Check]:
        return walls.box(probes), walls.python_tool(probes)  # both try the box, which is done once

    of_it = partial(Look, area=SANDBOX)
    return [
        of_it(names=("world",), find=partial(walls.world, probes), needed_for=(SANDBOX, MCP)),
        of_it(names=("box", "python tool"), find=walled, told_for=EVERYTHING),
    ]


def _of_folders(patient: Patient, probes: Probes) -> list[Look]:
    cassettes = partial(machine.cassettes, patient.cassettes, probes)
    results = partial(machine.results, patient.results, probes)
    disk = partial(machine.disk, patient.results, probes)
    of_folders, of_it = partial(Look, area="folders"), partial(Look, area="machine")
    return [
        of_folders(names=("legs",), find=partial(machine.legs, patient.legs), told_for=RACES),
        of_folders(names=("cassettes",), find=cassettes, needed_for=(LIVE_RACES,), told_for=RACES),
        of_folders(names=("results",), find=results, needed_for=RACES),
        of_folders(
            names=("work folders",), find=partial(machine.work, probes), needed_for=EVERYTHING
        ),
        of_it(names=("disk",), find=disk, needed_for=RACES),
        of_it(names=("clock",), find=partial(machine.clock, probes), needed_for=(LIVE_RACES,)),
    ]


def _of_agents(probes: Probes) -> list[Look]:
    of_it = partial(Look, area="agents")
    users = partial(installed.users_agents, probes)
    programs = {"node": installed.node, "npm": installed.npm}
    return [
        *(of_it(names=(name,), find=partial(installed.agent, name, probes), needed_for=(name,))
          for name in AGENT_NAMES),
        of_it(names=("other agents",), find=users, told_for=RACES),
        *(of_it(names=(name,), find=partial(find, probes), told_for=installed.NPM_AGENTS)
          for name, find in programs.items()),
    ]  # fmt: skip
