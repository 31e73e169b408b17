"""What of this machine a sandbox shows: found by looking, never more than is named here."""

import os
from collections.abc import Iterable
from pathlib import Path

from pytest_aar.errors import ConfigurationError
from pytest_aar.processes import base_interpreter

from .box import BoxPlace
from .bwrap import System

_TOP = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
# Not /etc/ssl whole: private keys lie there.
_ETC = (
    *("/etc/ld.so.cache", "/etc/alternatives", "/etc/ssl/certs", "/etc/ssl/openssl.cnf"),
    *("/etc/pki/tls/certs", "/etc/pki/tls/openssl.cnf", "/etc/pki/ca-trust/extracted"),
    *("/etc/crypto-policies", "/etc/ca-certificates"),
)
_PACKAGE = Path(__file__).resolve().parents[1]
_PROJECT_MARKS = (".git", "pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini")


def system() -> System:
    """The system's folders as they are here."""
    links = {path: os.readlink(path) for path in _TOP if os.path.islink(path)}
    bound = [path for path in _TOP if os.path.isdir(path) and path not in links]
    bound += [path for path in _ETC if os.path.exists(path)]
    return System(links=links, bound=("/usr", *bound))


def shown(place: BoxPlace) -> tuple[str, ...]:
    """Every program of a race at its own path, where the system's folders don't hold it already."""
    prefix = Path(base_interpreter()).parents[1]
    named = [both for path in place.programs for both in (path.absolute(), path.resolve())]
    paths = dict.fromkeys(path for path in (prefix, *named) if path.exists())
    return tuple(str(path) for path in paths if not _inside_any(path, (Path("/usr"),)))


def masks(place: BoxPlace) -> tuple[str, ...]:
    """Folders that would be seen within what is shown and hold answers, or the code that makes them."""
    secret = dict.fromkeys((*(_project_of(path) for path in place.hidden), *_packages(place)))
    open_folders = [Path(path) for path in (*system().bound, *shown(place))]
    return tuple(
        str(path)
        for path in secret
        if path.is_dir() and _inside_any(path, open_folders) and not path.is_mount()
    )


def check_programs(programs: Iterable[Path], hidden: Iterable[Path]) -> None:
    """Refuse what would show the answers.

    Raises ConfigurationError, naming the path and what it would show.
    """
    secrets = [path.resolve() for path in hidden]
    for program in programs:
        path = program.resolve()
        home = Path(os.path.expanduser("~")).resolve()
        shows = next((one for one in (*secrets, home) if one.is_relative_to(path)), None)
        shows = shows or next((one for one in secrets if path.is_relative_to(one)), None)
        if shows is not None:
            raise ConfigurationError(
                f"the isolation can't show the agent {program}: with it the agent would see {shows}, and so "
                "the answers or your own files; name the files and folders that the agent needs one by one, "
                "outside of that (agent option bind=PATH,PATH), or run it with --aar-isolation=none"
            )


def _project_of(path: Path) -> Path:
    """The project around a folder: its history holds the legs, too."""
    whole = path.resolve()
    for folder in whole.parents:
        if any((folder / mark).exists() for mark in _PROJECT_MARKS):
            return folder
    return whole


def _packages(place: BoxPlace) -> list[Path]:
    """This package wherever a shown environment holds it: with the world's data it can walk any leg."""
    roots = [Path(path) for path in shown(place)]
    found = [path for root in roots for path in root.glob("lib*/python3*/site-packages/pytest_aar")]
    return [_PACKAGE, *found]


def _inside_any(path: Path, folders: Iterable[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)
