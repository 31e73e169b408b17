"""Agents that are programs from npm: finding the native binary, its version, running it, reading its output."""

import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pytest_aar.box import CommandResult, CommandSpec
from pytest_aar.errors import AgentCrashed, AgentNotInstalled, ConfigurationError

from .protocol import Course, Limits
from .threads import in_thread

#: What the CLIs get for a key: the gateway drops it and adds the real one.
FAKE_KEY = "aar-no-key"
#: What the CLIs keep for themselves lies in this folder of the work folder: home, configuration, temporary files.
PRIVATE = ".agent"
_LAST_LINES = 15
#: Codex says it whenever standard input is no terminal.
_NOISE = "Reading additional input from stdin..."
_LONGEST_LINE = 1000
#: First bytes of ELF, of Mach-O for one processor, and of Mach-O for several.
_MAGIC = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
_VERSION = re.compile(r"\d+\.\d+\.\d+")
#: From a native binary up to the package.json of its npm package.
_LEVELS = 4
_VERSION_SECONDS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class NpmProgram:
    """A CLI that npm installs as a wrapper package and a package with the native binary.

    `natives` are places of the native binary below a folder `node_modules`, for this platform, best first;
    `oldest` to `newest` are the versions that races were run with, `tested` the one that is installed.
    """

    agent: str
    command: str
    package: str
    tested: str
    oldest: str
    newest: str
    natives: tuple[str, ...]

    def find(self, given: str | None) -> Path:
        """The native binary: of the option `program`, else as `aar install` puts it, else on PATH.

        Raises:
            AgentNotInstalled: says where it was looked for, and the command that installs it.
        """
        if given is not None:
            return self._native(Path(given).expanduser(), f"the option program={given!r}")
        installed = self.installed()
        if installed is not None:
            return installed
        on_path = shutil.which(self.command)
        if on_path is None:
            raise AgentNotInstalled(
                f"agent {self.agent!r}: there is no {self.command!r} on PATH, nor in {self.folder}; install "
                f"{self.package} {self.tested} with `aar install {self.agent}`, or give "
                f"--aar-agent-option program=PATH"
            )
        return self._native(Path(on_path), f"{self.command!r} on PATH")

    def installed(self) -> Path | None:
        """The native binary that `aar install` put there, None if it was not called."""
        return next(_below(self.folder / "node_modules", self.natives), None)

    @property
    def folder(self) -> Path:
        """Where `aar install` puts it: in the virtual environment, else in the user's data folder."""
        return _share() / "pytest-aar" / "agents" / self.agent

    def warning(self, version: str) -> str | None:
        """What is to be said of a version that no race was tested with; None for the others."""
        if _parts(self.oldest) <= _parts(version) <= _parts(self.newest):
            return None
        tested = self.tested if self.oldest == self.newest else f"{self.oldest} to {self.newest}"
        return (
            f"{self.agent} {version} is not a version that pytest-aar was tested with ({tested}): its races may "
            f"fail and recordings may diverge; `aar install {self.agent}` installs {self.tested}"
        )

    def _native(self, path: Path, what: str) -> Path:
        is_there = os.path.exists(path)
        found = next(self._candidates(path), None) if is_there else None
        if found is not None:
            return found
        problem = (
            "leads to no native binary"
            if is_there
            else "does not exist, or is out of reach, as a binary"
        )
        raise AgentNotInstalled(
            f"agent {self.agent!r}: {what} ({path}) {problem} of {self.package}: give the binary itself, a folder "
            f"that npm installed it in, or nothing and run `aar install {self.agent}`"
        )

    def _candidates(self, path: Path) -> Iterator[Path]:
        """The file itself where it is native, else what npm installed beside the wrapper or in the folder."""
        real = path.resolve()
        if _is_native(real):
            yield real
        for folder in (real, *real.parents):
            yield from _below(folder / "node_modules", self.natives)
            if folder.name == "node_modules":
                yield from _below(folder, self.natives)


def npm_platform() -> str:
    """This machine as npm's packages name it: `linux-x64`, `darwin-arm64`."""
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}
    name = platform.machine().lower()
    return f"{sys.platform}-{machine.get(name, name)}"


def _share() -> Path:
    if sys.prefix != sys.base_prefix:
        return Path(sys.prefix) / "share"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")


def _below(modules: Path, natives: tuple[str, ...]) -> Iterator[Path]:
    for native in natives:
        # A global installation keeps the native package below the wrapper's own node_modules.
        for path in (modules / native, *sorted(modules.glob(f"*/*/node_modules/{native}"))):
            if _is_native(path):
                yield path.resolve()


def _is_native(path: Path) -> bool:
    # os.path, since Path.is_file raises where it may not look
    if not os.path.isfile(path) or not os.access(path, os.R_OK | os.X_OK):
        return False
    with path.open("rb") as file:
        return file.read(4) in _MAGIC


@cache
def version_of(binary: Path) -> str:
    """The version, from the npm package around the binary, else as the program says it."""
    for folder in binary.parents[:_LEVELS]:
        found = _VERSION.match(_package_version(folder / "package.json"))
        if found:
            return found[0]
    return _said_version(binary)


def _package_version(path: Path) -> str:
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["version"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""  # no package around it: the program is asked


def _said_version(binary: Path) -> str:
    try:
        done = subprocess.run(
            [binary, "--version"],
            env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_VERSION_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise AgentNotInstalled(f"{binary} --version: {error}; is it for this machine?") from error
    found = _VERSION.search(done.stdout)
    if found is None:
        said = (done.stdout + done.stderr).strip()[:200]
        raise AgentNotInstalled(f"{binary} --version says no version: {said!r}")
    return found[0]


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


# Options


def checked_options(
    agent: str, options: Mapping[str, str], choices: Mapping[str, tuple[str, ...]]
) -> dict[str, str]:
    """The options; `choices` are the valid values by name, () for any text."""
    unknown = sorted(set(options) - set(choices))
    if unknown:
        raise ConfigurationError(
            f"agent {agent!r} has no option {', '.join(unknown)}; valid: {', '.join(choices)}"
        )
    for name, value in options.items():
        if choices[name] and value not in choices[name]:
            raise ConfigurationError(
                f"agent {agent!r}: {name}={value!r} is not valid; choose {' or '.join(choices[name])}"
            )
    return dict(options)


def extra_arguments(agent: str, text: str) -> tuple[str, ...]:
    """The option `args`, split as a shell does."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise ConfigurationError(
            f"agent {agent!r}: args={text!r} can't be split: {error}"
        ) from error


# A race


def private_folders(workdir: Path, *names: str) -> dict[str, Path]:
    """Folders of these names for one race, made."""
    folders = {name: workdir / PRIVATE / name for name in names}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    return folders


async def run_boxed(
    course: Course, limits: Limits, argv: tuple[str, ...], env: Mapping[str, str]
) -> CommandResult:
    """Run the program to its end in the race's box; standard input is /dev/null."""
    spec = CommandSpec(command=argv, workdir=course.workdir, timeout=limits.seconds, env=env)
    return await in_thread(lambda: course.box.run(spec), name="aar-agent-cli", stop=course.box.stop)


# What it said


def events(result: CommandResult) -> list[dict[str, Any]]:
    """The JSON objects among the lines of the end of the output."""
    found = (_event(line) for line in _end(result))
    return [event for event in found if event is not None]


def crash(what: str, result: CommandResult) -> AgentCrashed:
    """The error for a program that ended without saying how, with its last lines."""
    lines = [line for line in _end(result) if _says_something(line)] or _end(result)
    last = "\n".join(line[:_LONGEST_LINE] for line in lines[-_LAST_LINES:]) or "(no output)"
    return AgentCrashed(f"{what} (exit code {result.exit_code}); its last lines:\n{last}")


def _says_something(line: str) -> bool:
    return bool(line.strip()) and line != _NOISE and _event(line) is None


def _end(result: CommandResult) -> list[str]:
    return (result.tail or result.output).splitlines()


def _event(line: str) -> dict[str, Any] | None:
    if not line.startswith("{"):
        return None
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None
