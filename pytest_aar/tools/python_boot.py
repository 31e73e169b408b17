"""The program around a run of python_execute_code: it limits the code, waits for it, and leaves nothing behind.

It is handed to an interpreter compiled (it imports nothing of this package), before the code in the same file.
Arguments: "keep" or "adopt" (no namespace ends what the code leaves behind, so this process has to), the descriptors
of the code and of the answer, then the limits. Standard input is the lifeline: when it ends, so does everything.
"""

# `signal` makes enumerations first, and doubles the time that the interpreter takes to start.
import _signal as signal  # type: ignore[import-not-found] # the C part has no stubs
import os
import resource
import select
import sys
import time

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Any

_LIMITS = ("CPU", "AS", "FSIZE", "NOFILE", "NPROC", "CORE")
_SUBREAPER, _NO_NEW_PRIVILEGES, _DROP_FROM_BOUNDING_SET = 36, 38, 24  # of prctl
_CAPABILITY_VERSION = 0x20080522
_MOST_CAPABILITIES = 64
_ROUNDS, _PAUSE = 1500, 0.002
_FILE = "code.py"


def main(words: list[str]) -> None:
    """Start the code in a process of its own and stay until it or the lifeline ends."""
    adopts, source, answer = words[0] == "adopt", int(words[1]), int(words[2])
    if adopts:
        _take_responsibility()
    alarm, bell = os.pipe()
    for end in (alarm, bell):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(bell)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # a handler: ignored signals ring no bell
    child = os.fork()
    if child == 0:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _run(source, [int(word) for word in words[3:]])
        return
    os.write(answer, b"%d " % child)
    status = _wait(child, alarm)
    if status is not None:
        os.write(answer, b"%d" % os.waitstatus_to_exitcode(status))
    if adopts:
        _kill_descendants()
    os._exit(0)


def _run(source: int, limits: list[int]) -> None:
    """Be the code: what it prints, raises and exits with is its own."""
    with open(source, encoding="utf-8") as file:
        code = file.read()
    with open(_FILE, "w", encoding="utf-8") as file:  # tracebacks quote its lines
        file.write(code)
    os.setsid()  # signals to its own group don't reach the process that waits
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.closerange(3, 1024)
    for name, limit in zip(_LIMITS, limits, strict=True):
        _limit(getattr(resource, f"RLIMIT_{name}", None), limit)
    for name in ("AAR_BOX", "PWD"):  # the plugin's mark; bwrap's doing
        os.environ.pop(name, None)
    sys.argv = [_FILE]
    sys.excepthook = _complain
    exec(compile(code, _FILE, "exec"), {"__name__": "__main__"})


def _limit(kind: int | None, value: int) -> None:
    if kind is None or value < 0:  # the system has no such limit; none is asked for
        return
    hard = resource.getrlimit(kind)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    try:
        resource.setrlimit(kind, (value, value))
    except (ValueError, OSError):  # macOS refuses some
        return


def _complain(
    kind: type[BaseException], error: BaseException, trace: "TracebackType | None"
) -> None:
    """Print a traceback that begins in the code."""
    while trace is not None and trace.tb_frame.f_code.co_filename != _FILE:
        trace = trace.tb_next
    sys.__excepthook__(kind, error.with_traceback(trace), trace)


def _wait(child: int, alarm: int) -> int | None:
    """The child's wait status; None when the lifeline ended first."""
    while True:
        ready = select.select([0, alarm], [], [])[0]
        if alarm in ready:
            os.read(alarm, 4096)
            status = _reaped(child)
            if status is not None:
                return status
        if 0 in ready:
            return None


def _reaped(child: int) -> int | None:
    """Take leave of all who are dead; the child's wait status if it is among them."""
    found = None
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return found
            if pid == child:
                found = status
    except ChildProcessError:
        return found


def _take_responsibility() -> None:
    """Linux: inherit daemons, and give up what root could do beyond its own files."""
    if sys.platform != "linux":
        return
    try:
        import _ctypes  # noqa: PLC0415 - `ctypes` takes 10 ms, a namespace needs neither
    except ImportError:  # an interpreter built without it
        return
    prctl, capset = _c_functions(_ctypes, "prctl", "capset")
    prctl(_SUBREAPER, 1, 0, 0, 0)
    prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    for capability in range(_MOST_CAPABILITIES):
        prctl(_DROP_FROM_BOUNDING_SET, capability, 0, 0, 0)
    capset(_CAPABILITY_VERSION.to_bytes(4, sys.byteorder) + bytes(4), bytes(24))


def _c_functions(ctypes: "Any", *names: str) -> "Iterator[Any]":
    class Int(ctypes._SimpleCData):  # type: ignore[misc] # its type is known at run time
        _type_ = "i"

    class Function(ctypes.CFuncPtr):  # type: ignore[misc] # same
        _flags_ = ctypes.FUNCFLAG_CDECL
        _restype_ = Int

    this_process = ctypes.dlopen(None, 0)
    return (Function(ctypes.dlsym(this_process, name)) for name in names)


def _kill_descendants() -> None:
    """Without children there are no descendants: an orphan of any of them would have become ours."""
    for _ in range(_ROUNDS):
        if not _children_left():
            return
        for pid in _descendants():
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:  # gone meanwhile
                continue
        time.sleep(_PAUSE)


def _children_left() -> bool:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            continue
    except ChildProcessError:
        return False
    return True


def _descendants() -> list[int]:
    children: dict[int, list[int]] = {}
    if sys.platform == "linux":
        for name in os.listdir("/proc"):
            if name.isdigit():
                children.setdefault(_parent(name), []).append(int(name))
    found = list(children.get(os.getpid(), ()))
    for pid in found:
        found += children.get(pid, ())
    return found


def _parent(pid: str) -> int:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except OSError:
        return -1


if __name__ == "__main__":
    main(sys.argv[1:])
