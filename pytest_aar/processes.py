"""Child processes: which interpreter is the real one, and how a whole group or namespace ends."""

import json
import os
import select
import signal
import sys
import threading
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

#: In the environment of every process of a race: what a sweep for forgotten processes looks for. `python_boot`,
#: which can't import it, has it again.
MARKER = "AAR_BOX"


def new_marker(kind: str = "") -> str:
    """A value for it. Within a box of another run it begins with that one's: its sweep finds ours, too."""
    outer, own = os.environ.get(MARKER), f"{kind}{os.urandom(8).hex()}"
    return f"{outer}.{own}" if outer else own


@cache
def base_interpreter() -> str:
    """The real binary behind this Python: no virtual environment, no version manager's shim."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def kill_group(pid: int) -> None:
    """Kill every process of the group that `pid` leads; what moved to a session of its own lives on."""
    # All gone already; macOS says EPERM for a group of zombies.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def interrupt_without_parent(*, every: float = 0.5) -> None:
    """Interrupt this process, as Ctrl-C does, when the process that started it is gone.

    Looked for every so many seconds, in a daemon thread.
    """
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(every)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=watch, name="aar-parent", daemon=True).start()


def first_process(told: int, *, seconds: float) -> int | None:
    """The pid of the first process of a sandbox, which bwrap tells in pieces over its `--info-fd`.

    None when bwrap, the only writer left, ended before it told, told nonsense, or does not tell in time.
    """
    text, waiting = b"", select.poll()
    waiting.register(told, select.POLLIN)
    while b"}" not in text:
        chunk = os.read(told, 4096) if waiting.poll(seconds * 1000) else b""
        if not chunk:
            return None
        text += chunk
    try:
        return int(json.loads(text)["child-pid"])
    except (ValueError, TypeError, KeyError):  # another program by the name of bwrap
        return None


def handle_of(pid: int) -> int | None:
    """A pidfd, which can't come to mean another process; None when this one is gone already.

    None, too, where there are no pidfds: a kernel before 5.3, an interpreter built for one.
    """
    try:
        return os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None
    except OSError:
        return None


def end_namespace(handle: int, *, seconds: float) -> None:
    """Kill a namespace by its first process and close the handle; all of its processes are dead then.

    The kernel kills all others before the first one counts as dead.
    """
    with suppress(ProcessLookupError):
        signal.pidfd_send_signal(handle, signal.SIGKILL)
    waiting = select.poll()
    waiting.register(handle, select.POLLIN)
    waiting.poll(seconds * 1000)
    os.close(handle)


def content(data: bytes) -> int:
    """A descriptor to read a few bytes from, less than a pipe holds."""
    source, target = os.pipe()
    with os.fdopen(target, "wb") as pipe:
        pipe.write(data)
    return source


def tasks_of(user: int, processes: Path = Path("/proc")) -> int | None:
    """How many processes and threads a user has, as the limit on processes counts them.

    None where `processes` is not Linux's table of them: nothing counts there.
    """
    if not (processes / "self").exists():
        return None
    found = 0
    for name in os.listdir(processes):
        with suppress(OSError):  # gone meanwhile
            if name.isdigit() and os.stat(processes / name).st_uid == user:
                found += len(os.listdir(processes / name / "task"))
    return found
