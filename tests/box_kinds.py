"""Every kind of box that this machine can make, and looking for living processes."""

import os
import time
from functools import cache
from pathlib import Path

import pytest

from pytest_aar.box import Box, BoxPlace, CommandSpec, Isolation, make_box
from pytest_aar.box.isolation import tried

KINDS = ("none", "bwrap-user", "bwrap-root")
_REQUIRED = os.environ.get("AAR_CI_REQUIRE") == "1"


@cache
def _fault(form: str) -> str | None:
    if form == "root" and os.geteuid() != 0:
        return "the form is root's"
    return tried(form)  # type: ignore[arg-type]


def isolation(kind: str) -> Isolation:
    """The isolation of that kind; the test is skipped where it can't be had."""
    name, _, form = kind.partition("-")
    fault = _fault(form) if form else None
    if fault is not None:
        if _REQUIRED and form == "user":
            pytest.fail(f"bwrap is required here, and does not work: {fault}")
        pytest.skip(f"no box {kind} here: {fault}")
    return Isolation(name=name, form=form)


def new_box(kind: str, workdir: Path, **more: object) -> Box:
    workdir.mkdir(exist_ok=True)
    return make_box(isolation(kind), BoxPlace(workdir=workdir, **more))  # type: ignore[arg-type]


def spec(command: str | tuple[str, ...], workdir: Path, **more: object) -> CommandSpec:
    return CommandSpec(command=command, workdir=workdir, **{"timeout": 10.0, **more})  # type: ignore[arg-type]


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def with_argument(text: str) -> list[int]:
    """Living processes with this text among their arguments."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                words = Path(f"/proc/{name}/cmdline").read_bytes()
            except OSError:
                continue
            if text.encode() in words.split(b"\0") and alive(int(name)):
                found.append(int(name))
    return found


def eventually(condition, seconds: float = 5.0) -> bool:  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


#: Ignores what can be ignored, goes to a session of its own twice, and holds its output open.
STUBBORN = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE):
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
print("up", flush=True)
time.sleep(600)
"""
