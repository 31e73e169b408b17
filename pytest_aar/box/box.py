"""The seam between agents and the place where their commands run."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from pytest_aar.processes import base_interpreter

#: Bytes of a command's output that are kept; the rest is read and dropped.
OUTPUT_BYTES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSpec:
    """A command for a box: a shell line (str) or a program with its arguments (tuple).

    `env` comes on top of the box's own environment; nothing of this process's environment is inherited.
    `stdin` is the text on standard input, None is /dev/null. `timeout` in seconds.
    """

    command: str | tuple[str, ...]
    workdir: Path
    timeout: float
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """What came out: standard output and error in one stream, cut at `OUTPUT_BYTES` (`dropped_bytes` more).

    A command that could not be started has exit code 127 (no such program) or 126, and `output` says why.
    """

    output: str
    exit_code: int
    timed_out: bool = False
    dropped_bytes: int = 0


class Box(Protocol):
    """Runs commands for an agent.

    The process group of a command is dead when `run` is over. The box `none` can do no more: what moved to a
    session of its own (`setsid`, a daemon) lives on.
    """

    name: str

    def run(self, spec: CommandSpec) -> CommandResult:
        """Run to the end or to the deadline (exit code -1); blocks, safe to call from any thread.

        Never raises for what the command, its input or its environment is, nor for a work folder that is gone.
        """
        ...

    def stop(self) -> None:
        """Kill everything that runs; later `run` calls return at once as timed out."""
        ...


def base_environment(workdir: Path) -> dict[str, str]:
    """The environment of a race's commands, from empty: the same on every machine but for two paths.

    PATH begins with the real bin folder of the base interpreter: a version manager's shim would cost
    70 ms for each call of `tools.py`.
    """
    bin_folder = os.path.dirname(base_interpreter())
    return {
        "PATH": f"{bin_folder}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(workdir),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
    }
