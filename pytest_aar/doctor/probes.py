"""How a machine is asked: one record of functions, whose defaults ask the machine that this runs on."""

import importlib.metadata
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence, Sized
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Protocol

import httpx

from pytest_aar.box import Isolation, probe
from pytest_aar.gateway.python_tool import WalledPython
from pytest_aar.tools import PythonRunner


class SandboxData(Sized, Protocol):
    """The sandbox world, as far as it is looked at."""

    @property
    def hash(self) -> str:
        """Of its data."""


def _load_world() -> SandboxData:
    from pytest_aar.world import load  # noqa: PLC0415 - opens the data file

    return load()


def _entry_points(group: str) -> Iterable[EntryPoint]:
    return importlib.metadata.entry_points(group=group)


def _free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free


@dataclass(frozen=True, slots=True, kw_only=True)
class Probes:
    """What the checks ask. `version` and `requires` raise PackageNotFoundError, `isolation` AarError.

    `seconds` bounds the whole examination: what has not answered by then is not judged; `program_seconds` bounds a
    program's `--version`, `service_seconds` a service's reply. `temporary` is the folder for temporary files, None
    for the system's; `road` leads to the services, None: the network.
    """

    seconds: float = 3.0
    python: tuple[int, int] = sys.version_info[:2]
    version: Callable[[str], str] = importlib.metadata.version
    requires: Callable[[str], Sequence[str] | None] = importlib.metadata.requires
    entry_points: Callable[[str], Iterable[EntryPoint]] = _entry_points
    which: Callable[[str], str | None] = shutil.which
    program_seconds: float = 2.5
    may: Callable[[Path, int], bool] = os.access
    free_bytes: Callable[[Path], int] = _free_bytes
    temporary: str | None = None
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    isolation: Callable[[str], Isolation] = probe
    python_tool: PythonRunner = field(default_factory=lambda: WalledPython(wanted="auto"))
    load_world: Callable[[], SandboxData] = _load_world
    service_seconds: float = 2.0
    road: httpx.BaseTransport | None = None
