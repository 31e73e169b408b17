"""What a sandbox shows of the base interpreter: its folder where that is its own, else its parts one by one."""

import os
import sysconfig
from collections.abc import Iterable
from pathlib import Path

from pytest_aar.processes import base_interpreter

#: A prefix with fewer parts is a place where many things lie: `/`, `/opt`, `/home`.
_FEWEST_PARTS = 3


def interpreter_paths(hidden: Iterable[Path], executable: str | None = None) -> tuple[Path, ...]:
    """Paths that must be there for the base interpreter (or this one) to run; one: its whole prefix.

    Installed for one user (`~/bin/python3`, `~/.local`) its prefix is, or holds, what nobody should see.
    """
    program = Path(executable or base_interpreter())
    prefix = program.parents[1]
    return (prefix,) if _is_its_own(prefix, hidden) else _parts(program)


def _is_its_own(prefix: Path, hidden: Iterable[Path]) -> bool:
    home = Path(os.path.expanduser("~")).resolve()
    if len(prefix.parts) < _FEWEST_PARTS or prefix in (home, home / ".local"):
        return prefix == Path("/usr")  # the system's: shown in any case
    return not any(path.resolve().is_relative_to(prefix) for path in (home, *hidden))


def _parts(program: Path) -> tuple[Path, ...]:
    """The binary under the names that programs call it by, the standard library, and the shared library."""
    folder, prefix = program.parent, str(program.parents[1])
    names = [folder / name for name in ("python3", "python") if _leads_to(folder / name, program)]
    bases = dict.fromkeys(("base", "platbase", "installed_base", "installed_platbase"), prefix)
    libraries = [sysconfig.get_path(kind, vars=bases) for kind in ("stdlib", "platstdlib")]
    values = sysconfig.get_config_vars()
    shared = Path(str(values.get("LIBDIR") or prefix), str(values.get("INSTSONAME") or ""))
    found = (program, *names, *map(Path, libraries), *((shared,) if shared.is_file() else ()))
    return tuple(dict.fromkeys(found))


def _leads_to(path: Path, program: Path) -> bool:
    return path.resolve() == program
