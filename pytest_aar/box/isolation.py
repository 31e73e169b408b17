"""Which box this machine can offer, found out by starting one."""

import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pytest_aar.errors import AarError, ConfigurationError
from pytest_aar.settings import ISOLATIONS

from .box import BoxPlace, CommandSpec
from .bwrap_box import BwrapBox
from .bwrap_command import AGENT_USER, Form
from .shell import shell
from .syscalls import call_filter

_SECONDS = 20.0
_SYSCTL = "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
_INSTALL = "sudo apt-get install bubblewrap"
#: Fails unless it runs as the user without rights and can write its folder.
_TRIAL = f'[ "$(id -u)" = {AGENT_USER} ] && echo 1 > written && cat written'


@dataclass(frozen=True, slots=True, kw_only=True)
class Isolation:
    """The box of a run: `name` is "bwrap" or "none", `form` how bwrap gets its rights, `detail` why so."""

    name: str
    form: str = ""
    detail: str = ""


def probe(wanted: str) -> Isolation:
    """The isolation that was asked for, or for "auto" the best one here; tried once per process.

    Raises ConfigurationError: "bwrap" was asked for and can't be had, or there is no shell; says what to do.
    """
    if wanted not in ISOLATIONS:
        raise ConfigurationError(f"unknown isolation {wanted!r}; valid: {', '.join(ISOLATIONS)}")
    shell()  # no command line runs without one
    if wanted == "none":
        return Isolation(name="none", detail="asked for")
    found = _best()
    if wanted == "bwrap" and found.name != "bwrap":
        raise ConfigurationError(
            f"--aar-isolation=bwrap is not possible here: {found.detail}. {advice()} "
            "Or choose --aar-isolation=none: the agent's programs then see all that you see"
        )
    return found


def advice() -> str:
    """What a user can do to get the box `bwrap`."""
    if sys.platform != "linux":
        return (
            "bwrap needs Linux (on macOS: a Linux container or virtual machine, on Windows: WSL 2)."
        )
    return (
        f"Install it with `{_INSTALL}`; where user namespaces are refused (Ubuntu 24.04, GitHub's runners) "
        f"also run `{_SYSCTL}`."
    )


@cache
def _best() -> Isolation:
    if sys.platform != "linux":
        return Isolation(name="none", detail=f"no bwrap on {sys.platform}")
    if shutil.which("bwrap") is None:
        return Isolation(name="none", detail="bwrap is not installed")
    forms: tuple[Form, ...] = ("root", "user") if os.geteuid() == 0 else ("user",)
    faults = []
    for form in forms:
        fault = tried(form)
        if fault is None:
            return Isolation(name="bwrap", form=form)
        faults.append(fault)
    return Isolation(name="none", detail=faults[-1])


def tried(form: Form) -> str | None:
    """Start a box of this form and run a command in it; None when it works, else what went wrong."""
    if form == "root" and call_filter(form) is None:
        return f"as root bwrap needs a filter of system calls, and none is known for {os.uname().machine}"
    try:
        with tempfile.TemporaryDirectory(prefix="aar-probe-") as folder:
            workdir = Path(folder).resolve() / "race"
            workdir.mkdir()
            return _trial(form, workdir)
    except OSError as error:
        return _short(f"no folder for temporary files to try it in: {error}")


def _trial(form: Form, workdir: Path) -> str | None:
    box = BwrapBox(BoxPlace(workdir=workdir), form)
    try:
        result = box.run(CommandSpec(command=_TRIAL, workdir=workdir, timeout=_SECONDS))
    except AarError as error:
        return _short(str(error))
    finally:
        box.stop()
    return None if result.output == "1\n" else _short(result.output or "its first command failed")


def _short(text: str) -> str:
    return " ".join(text.split())[:300]
