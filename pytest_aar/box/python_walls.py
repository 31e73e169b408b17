"""The walls around python_execute_code: a sandbox of its own, smaller than a race's box."""

import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast

from pytest_aar.processes import base_interpreter, content
from pytest_aar.tools.python_runner import Command

from . import visible
from .box import BoxPlace
from .bwrap_command import (
    Form,
    System,
    namespaces,
    parents,
    private_folders,
    program_path,
    programs_and_masks,
    read_only,
    root_no_more,
    system_folders,
)
from .isolation import Isolation
from .lone_user import lone_user
from .syscalls import call_filter

_MB = 1 << 20
_FOLDER = "/tmp"
_PRIVATE = ((_FOLDER, 64 * _MB), ("/dev/shm", 16 * _MB))
#: Where distributions and a plain `pip install` put packages, beside the interpreter's own folder for them.
_ELSEWHERE = ("lib/python3*/dist-packages", "lib/python3*/site-packages")


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonWalls:
    """Within them: the interpreter and its standard library, 64 MB to write in, no network, nobody else.

    No virtual environment, no installed packages, no folder of a race. `form` says whose rights make them,
    `hidden` are folders that must not be seen: legs, recordings, results.
    """

    form: Form
    hidden: tuple[Path, ...] = ()

    @property
    def name(self) -> str:
        """What results say."""
        return "bwrap"

    @property
    def has_namespace(self) -> bool:
        """All that is left behind dies with it."""
        return True

    @property
    def counted_user(self) -> int | None:
        """Nobody's: it has a user namespace, or in the root form a user, of its own."""
        return None

    def command(self, program: Sequence[str], *, told: int) -> Command:
        """The command line of bwrap.

        Raises:
            InfrastructureError: bwrap is gone since it was tried.
        """
        bwrap = program_path()
        filtered = call_filter(self.form)
        descriptors = () if filtered is None else (content(filtered),)
        argv = python_argv(bwrap, self.form, view(self.hidden), told=told, seccomp=descriptors)
        return Command(argv=[*argv, *program], descriptors=descriptors)


def walls_for(isolation: Isolation, hidden: tuple[Path, ...] = ()) -> PythonWalls | None:
    """The walls that an isolation has for Python; None: none."""
    if isolation.name != "bwrap":
        return None
    return PythonWalls(form=cast("Form", isolation.form), hidden=hidden)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What of this machine is seen: the system, the `interpreter` (empty: within /usr), less masks."""

    system: System
    interpreter: tuple[str, ...]
    masks: tuple[str, ...]


@cache
def view(hidden: tuple[Path, ...] = ()) -> View:
    """Found by looking, once."""
    place = BoxPlace(workdir=Path("/nonexistent"), hidden=hidden)
    installed = _packages(Path(base_interpreter()).parents[1])
    masks = dict.fromkeys((*visible.masks(place), *map(str, installed)))
    return View(
        system=visible.system(),
        interpreter=visible.shown(place),
        masks=tuple(sorted(masks, key=len)),  # what holds another one before it
    )


def python_argv(
    bwrap: str, form: Form, seen: View, *, told: int, seccomp: tuple[int, ...] = ()
) -> list[str]:
    """The command line of bwrap up to the program, which in the root form is another user's by then."""
    argv = [bwrap, *namespaces(form), "--info-fd", str(told)]
    for descriptor in seccomp:
        argv += ["--seccomp", str(descriptor)]
    argv += [*parents(seen.system.bound), *system_folders(seen.system)]
    argv += [*private_folders(_PRIVATE), *parents(seen.interpreter)]
    argv += programs_and_masks(seen.interpreter, seen.masks)
    # /dev is a tmpfs without a limit of its own.
    argv += [*read_only((*seen.masks, "/dev")), "--chdir", _FOLDER, *read_only(("/",)), "--"]
    return [*argv, *(root_no_more(lone_user()) if form == "root" else ())]


def _packages(prefix: Path) -> list[Path]:
    """Folders of installed packages that would be seen otherwise."""
    named = [Path(sysconfig.get_path(name, vars=_bases(prefix))) for name in ("purelib", "platlib")]
    roots = (Path("/usr"), Path("/usr/local"), prefix)
    found = [path for root in roots for part in _ELSEWHERE for path in root.glob(part)]
    return [
        path for path in dict.fromkeys((*named, *found)) if path.is_dir() and not path.is_symlink()
    ]


def _bases(prefix: Path) -> dict[str, str]:
    return {"base": str(prefix), "platbase": str(prefix)}
