"""Programs from npm: where the native binary is, its version, what is to be said of it."""

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_aar.errors import AgentNotInstalled

from .native_version import version_of

#: First bytes of ELF, of Mach-O for one processor, and of Mach-O for several.
_MAGIC = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
_MODULES = "node_modules"


@dataclass(frozen=True, slots=True, kw_only=True)
class NpmProgram:
    """A CLI that npm installs as a wrapper package and a package with the native binary.

    `natives` are places of the native binary below a folder `node_modules`, for this platform, best first;
    `oldest` to `newest` are the versions that races were run with, `tested` the one that is installed.
    `policies` are folders of the machine's administrator: what lies there no setting of ours overrides.
    """

    agent: str
    command: str
    package: str
    tested: str
    oldest: str
    newest: str
    natives: tuple[str, ...]
    policies: tuple[Path, ...] = ()

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
        return next(_below(self.folder / _MODULES, self.natives), None)

    def version(self, given: str | None) -> str:
        """The version of the binary that `find` finds."""
        return version_of(self.find(given), (self.package, *map(_package_of, self.natives)))

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

    def policy_warning(self) -> str | None:
        """What is to be said of races without a box on a machine that has policies; None without any."""
        found = [str(folder) for folder in self.policies if _holds_something(folder)]
        if not found:
            return None
        return (
            f"{self.agent} obeys {', '.join(found)}, the policies of this machine, before what a race pins: "
            "the races without a box ran under them; take them away, or race with --aar-isolation=bwrap, "
            "where they are not seen"
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
        for folder in self._installations(real):
            yield from _below(folder / _MODULES, self.natives)
            if folder.name == _MODULES:
                yield from _below(folder, self.natives)

    def _installations(self, real: Path) -> tuple[Path, ...]:
        """Where npm may have put the native package: never around a file that is not npm's wrapper.

        From within a folder node_modules up to the outermost one; a given folder elsewhere stands for itself.
        """
        is_folder = os.path.isdir(real)
        if not is_folder and not self._is_wrapper(real):
            return ()
        around = (real, *real.parents)
        modules = [level for level, folder in enumerate(around) if folder.name == _MODULES]
        return around[: max(modules, default=0) + 1]

    def _is_wrapper(self, real: Path) -> bool:
        whole = real.as_posix()
        return f"/{_MODULES}/{self.package}/" in whole or whole.endswith(
            f"/{_MODULES}/.bin/{self.command}"
        )


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
        for path in (modules / native, *sorted(modules.glob(f"*/*/{_MODULES}/{native}"))):
            if _is_native(path):
                yield path.resolve()


def _is_native(path: Path) -> bool:
    # os.path, since Path.is_file raises where it may not look
    if not os.path.isfile(path) or not os.access(path, os.R_OK | os.X_OK):
        return False
    with path.open("rb") as file:
        return file.read(4) in _MAGIC


def _package_of(native: str) -> str:
    """The npm package that a native binary lies in."""
    parts = native.split("/")
    return "/".join(parts[:2] if native.startswith("@") else parts[:1])


def _holds_something(folder: Path) -> bool:
    try:
        return any(folder.iterdir())
    except FileNotFoundError:
        return False
    except OSError:
        return True  # it is there, and only we may not look


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
