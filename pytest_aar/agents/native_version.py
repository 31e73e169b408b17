"""Which version a native binary is of."""

import json
import re
import subprocess
from collections.abc import Collection
from functools import cache
from pathlib import Path

from pytest_aar.errors import AgentNotInstalled

_VERSION = re.compile(r"\d+\.\d+\.\d+")
#: From a native binary up to the package.json of its npm package.
_LEVELS = 4
_VERSION_SECONDS = 30


@cache
def version_of(binary: Path, packages: Collection[str]) -> str:
    """The version, from the npm package around the binary if it is one of these, else as the program says it.

    A binary may lie in anybody's project: the version of that is not its own.
    """
    for folder in binary.parents[:_LEVELS]:
        if (folder / "package.json").is_file():
            found = _VERSION.match(_package_version(folder / "package.json", packages))
            return found[0] if found else _said_version(binary)
    return _said_version(binary)


def _package_version(path: Path, packages: Collection[str]) -> str:
    try:
        package = json.loads(path.read_text(encoding="utf-8"))
        return str(package["version"]) if package["name"] in packages else ""
    except (OSError, ValueError, KeyError, TypeError):
        return ""  # no npm package: the program is asked


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
