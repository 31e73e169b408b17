"""All checks, side by side."""

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pytest_aar.tools import LIVE, Endpoints

from . import installed, keys, machine, versions, walls
from .check import MCP, ZIM, Check
from .contact import contact
from .probes import Probes
from .services import services

#: Order of the areas in the table.
AREAS = ("versions", "sandbox", "folders", "machine", "agents", "keys", "services", "extras")
#: Extra, which is a purpose as well -> the package that it brings, what that is for.
_EXTRAS = {MCP: ("mcp", "the MCP server"), ZIM: ("libzim", "--aar-world=zim:PATH")}

_Look = Callable[[], Check | Iterable[Check]]


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


def examine(patient: Patient, probes: Probes | None = None) -> list[Check]:
    """Every finding, by area; `probes` look at another machine than this one."""
    looks = _looks(patient, probes or Probes())
    with ThreadPoolExecutor(max_workers=len(looks)) as threads:
        found = [one for each in threads.map(lambda look: look(), looks) for one in _listed(each)]
    return sorted(found, key=lambda check: AREAS.index(check.area))


def _looks(patient: Patient, probes: Probes) -> list[_Look]:
    asked = partial(services, patient.endpoints, patient.environment, probes, patient.contact)
    return [
        partial(versions.python, probes),
        partial(versions.plugin, probes, patient.environment),
        partial(versions.packages, probes),
        partial(walls.world, probes),
        lambda: (
            walls.box(probes),
            walls.python_tool(probes),
        ),  # both try the box, which is done once
        partial(machine.legs, patient.legs),
        partial(machine.cassettes, patient.cassettes, probes),
        partial(machine.results, patient.results, probes),
        partial(machine.work, probes),
        partial(machine.disk, patient.results, probes),
        partial(machine.clock, probes),
        *installed.agents(probes),
        partial(installed.users_agents, probes),
        partial(installed.node, probes),
        partial(installed.npm, probes),
        partial(keys.keys, patient.environment, patient.endpoints),
        partial(contact, patient.contact, patient.endpoints),
        *((asked,) if patient.asks_services else ()),
        *(partial(installed.extra, name, *about, probes) for name, about in _EXTRAS.items()),
    ]


def _listed(found: Check | Iterable[Check]) -> list[Check]:
    return [found] if isinstance(found, Check) else list(found)
