"""The seam between agents and the place where their commands run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from pytest_aar.processes import MARKER, new_marker

from .inside.frames import HEAD_BYTES, TAIL_BYTES
from .own_python import bin_folder

#: Bytes of a command's output that are kept; the rest is read and dropped, but for its last `TAIL_BYTES`.
OUTPUT_BYTES = HEAD_BYTES

__all__ = [
    "MARKER",
    "OUTPUT_BYTES",
    "TAIL_BYTES",
    "Box",
    "BoxPlace",
    "CommandResult",
    "CommandSpec",
    "Doors",
    "base_environment",
    "search_path",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSpec:
    """A command for a box: a shell line (str) or a program with its arguments (tuple).

    `env` comes on top of the box's own environment; nothing of this process's environment is inherited.
    `stdin` is the text on standard input, None is /dev/null. `timeout` in seconds. `workdir` is the race's
    work folder or one below it, as this process sees it.
    """

    command: str | tuple[str, ...]
    workdir: Path
    timeout: float
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """What came out: standard output and error in one stream, cut at `OUTPUT_BYTES` (`dropped_bytes` more).

    `tail` is the last `TAIL_BYTES` of the output when bytes were dropped, else empty. A command that could
    not be started has exit code 127 (no such program) or 126, and `output` says why.
    """

    output: str
    exit_code: int
    timed_out: bool = False
    dropped_bytes: int = 0
    tail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doors:
    """How this race's gateway is reached: a URL over TCP, a socket in the file system; `path` is `/r/TOKEN`.

    `http` gives the race's whole URL. Either is asked only when it is needed: asking starts a server.
    """

    http: Callable[[], str]
    socket: Callable[[], Path]
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxPlace:
    """What a box is made for: the race's work folder, the ways to its gateway, what its programs need.

    `programs` are files and folders that commands see, read-only, at their own path. `hidden` are folders
    that they must not see: legs, recordings, results. `marker` is the value of `MARKER`.
    """

    workdir: Path
    doors: Doors | None = None
    programs: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    marker: str = field(default_factory=new_marker)


class Box(Protocol):
    """Runs the commands of one race, side by side if asked; starts with the first one.

    When a command is over, its process group is dead; what moved to a session of its own (`setsid`, a
    daemon) may work on until the race is over, and is dead when `stop` returns.
    """

    @property
    def name(self) -> str:
        """`bwrap` or `none`."""
        ...

    def run(self, spec: CommandSpec) -> CommandResult:
        """Run to the end or to the deadline (exit code -1); blocks, safe to call from any thread.

        Never raises for what the command, its input or its environment is, nor for a work folder that is
        gone. InfrastructureError: the box itself could not be started, or ended and not by the agent's doing;
        a box that the agent broke is a command that timed out.
        """
        ...

    def stop(self) -> None:
        """Kill everything and wait until it is dead; later `run` calls return at once as timed out."""
        ...

    def inside(self, path: Path) -> str:
        """A path of the work folder as commands see it."""
        ...

    def python_folder(self) -> str:
        """The folder of the box's own Python as commands see it: a virtual environment without packages."""
        ...

    def gateway_url(self) -> str:
        """The race's address for any program inside: `http://127.0.0.1:PORT/r/TOKEN`."""
        ...

    def tools_url(self) -> str:
        """The race's address for `tools.py`, which also speaks to a socket: `unix:PATH:/r/TOKEN`."""
        ...


def base_environment(home: str | Path, python_folder: str) -> dict[str, str]:
    """The environment of a race's commands, from empty: the same on every machine but for two paths."""
    return {
        "PATH": search_path(bin_folder(python_folder)),
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
    }


def search_path(*first: str) -> str:
    """These folders, then the system's."""
    return ":".join((*first, "/usr/local/bin", "/usr/bin", "/bin"))
