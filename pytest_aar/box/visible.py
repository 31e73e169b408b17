"""What of this machine a sandbox shows: found by looking, never more than is named here."""

import os
from collections.abc import Iterable
from pathlib import Path

from pytest_aar.errors import ConfigurationError

from .box import BoxPlace
from .bwrap_command import System
from .interpreter import interpreter_paths

_TOP = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
# Not /etc/ssl whole: private keys lie there.
_ETC = (
    *("/etc/ld.so.cache", "/etc/alternatives", "/etc/ssl/certs", "/etc/ssl/openssl.cnf"),
    *("/etc/pki/tls/certs", "/etc/pki/tls/openssl.cnf", "/etc/pki/ca-trust/extracted"),
    *("/etc/crypto-policies", "/etc/ca-certificates"),
)
_PACKAGE = Path(__file__).resolve().parents[1]
#: Where packages lie in an environment, and in a standard library that is shown without one.
_SITES = ("lib*/python3*/site-packages", "site-packages", "dist-packages")
_PROJECT_MARKS = (".git", "pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini")


def system() -> System:
    """The system's folders as they are here."""
    links = {path: os.readlink(path) for path in _TOP if os.path.islink(path)}
    bound = [path for path in _TOP if os.path.isdir(path) and path not in links]
    bound += [path for path in _ETC if os.path.exists(path)]
    return System(links=links, bound=("/usr", *bound))


def shown(place: BoxPlace) -> tuple[str, ...]:
    """Every program of a race at its own path, where the system's folders don't hold it already."""
    own = interpreter_paths(place.hidden)
    named = [both for path in place.programs for both in (path.absolute(), path.resolve())]
    paths = dict.fromkeys(path for path in (*own, *named) if path.exists())
    masked = _projects(place)
    return tuple(
        str(path)
        for path in paths
        if not _inside_any(path, (Path("/usr"),)) or _inside_any(path, masked)
    )


def masks(place: BoxPlace) -> tuple[str, ...]:
    """Folders that would be seen within what is shown and hold answers, or the code that makes them.

    What holds another one comes before it.
    """
    open_folders = [Path(path) for path in (*system().bound, *shown(place))]
    found = {
        str(path): len(path.parts)
        for path in (*_projects(place), *_packages(place))
        if path.is_dir() and _inside_any(path, open_folders) and path not in open_folders
    }
    return tuple(sorted(found, key=found.__getitem__))


def check_programs(programs: Iterable[Path], hidden: Iterable[Path]) -> None:
    """Refuse what would show the answers.

    Raises ConfigurationError, naming the path and what it would show.
    """
    secrets = [path.resolve() for path in hidden]
    for program in programs:
        shows = _secret_shown(program.resolve(), secrets)
        if shows is not None:
            raise ConfigurationError(
                f"the isolation can't show the agent {program}: with it the agent would see {shows}, and so "
                "the answers or your own files; name the files and folders that the agent needs one by one, "
                "outside of that (agent option bind=PATH,PATH), or run it with --aar-isolation=none"
            )


def check_work_folders(place: Path, hidden: Iterable[Path]) -> None:
    """Refuse a folder for the races' work folders that lies in one of those with answers.

    Raises ConfigurationError, naming both.
    """
    whole = place.resolve()
    for folder in hidden:
        if whole.is_relative_to(folder.resolve()):
            raise ConfigurationError(
                f"the folder for temporary files, {place}, lies in {folder}, whose files agents must not see: "
                "each race's work folder would be there; set TMPDIR to a folder outside of it"
            )


def _secret_shown(path: Path, secrets: list[Path]) -> Path | None:
    """What nobody may see of what a path would show; None: nothing. History holds the legs, too."""
    home = Path(os.path.expanduser("~")).resolve()
    within = [one for one in (*secrets, home) if one.is_relative_to(path)]
    around = [one for one in secrets if path.is_relative_to(one)]
    history = [one for one in (path, *path.parents) if one.name == ".git"]
    return next(iter((*within, *around, *history)), None)


def _projects(place: BoxPlace) -> list[Path]:
    return [folder for path in place.hidden for folder in _projects_of(path)]


def _projects_of(path: Path) -> list[Path]:
    """The project around a folder, and every repository around that: histories hold the legs, too."""
    whole = path.resolve()
    around = list(whole.parents)
    repositories = [folder for folder in (whole, *around) if (folder / ".git").exists()]
    marked = (one for one in around if any((one / mark).exists() for mark in _PROJECT_MARKS))
    return [next(marked, whole), *repositories]


def _packages(place: BoxPlace) -> list[Path]:
    """This package wherever a shown environment holds it: with the world's data it can walk any leg."""
    roots = [Path(path) for path in shown(place)]
    found = [path for root in roots for part in _SITES for path in root.glob(f"{part}/pytest_aar")]
    return [_PACKAGE, *found]


def _inside_any(path: Path, folders: Iterable[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)
