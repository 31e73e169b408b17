"""All checks, side by side."""

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pytest_aar.tools import LIVE, Endpoints

from . import installed, keys, machine, versions, walls
from .check import Check
from .services import services

#: Order of the areas in the table.
AREAS = ("versions", "sandbox", "folders", "machine", "agents", "keys", "services", "extras")
#: Extra -> the package that it brings, what that is for.
_EXTRAS = {"mcp": ("mcp", "the MCP server"), "zim": ("libzim", "--aar-world=zim:PATH")}

Probe = Callable[[], Check | Iterable[Check]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient:
    """What is looked at: folders, the environment with its keys, where services are, who asks them."""

    legs: Path = Path("legs")
    cassettes: Path = Path("cassettes")
    results: Path = Path(".aar")
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    endpoints: Endpoints = LIVE
    contact: str | None = None


def examine(patient: Patient) -> list[Check]:
    """Every finding, by area."""
    probes = _probes(patient)
    with ThreadPoolExecutor(max_workers=len(probes)) as threads:
        found = [
            one for each in threads.map(lambda probe: probe(), probes) for one in _listed(each)
        ]
    return sorted(found, key=lambda check: AREAS.index(check.area))


def _probes(patient: Patient) -> list[Probe]:
    return [
        versions.python,
        lambda: versions.plugin(patient.environment),
        versions.packages,
        walls.world,
        lambda: (walls.box(), walls.python_tool()),  # both try the box, which is done once
        lambda: machine.legs(patient.legs),
        lambda: machine.cassettes(patient.cassettes),
        lambda: machine.results(patient.results),
        machine.work,
        lambda: machine.disk(patient.results),
        machine.clock,
        *installed.agents(),
        installed.users_agents,
        installed.node,
        installed.npm,
        lambda: keys.keys(patient.environment),
        lambda: services(patient.endpoints, patient.environment, contact=patient.contact),
        *(partial(installed.extra, name, *about) for name, about in _EXTRAS.items()),
    ]


def _listed(found: Check | Iterable[Check]) -> list[Check]:
    return [found] if isinstance(found, Check) else list(found)
