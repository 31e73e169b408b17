"""A filter for system calls: no way into other processes, and no namespaces where bwrap can't forbid them.

With `ptrace` and its like an agent could make the command server, which is this user's, too, say what it likes; with
`prlimit` it could end it. In a namespace of its own a program could mount a file system in memory without a limit.
The filter is classic BPF, put together here: two architectures and a few calls need no library.
"""

import platform
import struct
from dataclasses import dataclass

from .bwrap_command import Form

_LOAD, _EQUALS, _AT_LEAST, _HAS_BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS = 1, 38
#: CLONE_NEW*: cgroup, uts, ipc, user, pid, net, mount.
_NEW_NAMESPACES = 0x7E020000
#: Calls by the numbers of x32 would pass by the others.
_X32 = 0x40000000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Numbers:
    architecture: int
    clone: int
    unshare: int
    setns: int
    ptrace: int
    prlimit: int
    read_memory: int
    write_memory: int
    clone3: int = 435
    take_file: int = 438  # pidfd_getfd


_KNOWN = {
    "x86_64": _Numbers(
        architecture=0xC000003E,
        clone=56,
        unshare=272,
        setns=308,
        ptrace=101,
        prlimit=302,
        read_memory=310,
        write_memory=311,
    ),
    "aarch64": _Numbers(
        architecture=0xC00000B7,
        clone=220,
        unshare=97,
        setns=268,
        ptrace=117,
        prlimit=261,
        read_memory=270,
        write_memory=271,
    ),
}


def call_filter(form: Form, machine: str | None = None) -> bytes | None:
    """The program for bwrap's `--seccomp`; None for an architecture whose numbers are not known here.

    In the user form bwrap forbids namespaces itself.
    """
    numbers = _KNOWN.get(machine or platform.machine())
    if numbers is None:
        return None
    parts = [_native_calls(numbers), _no_meddling(numbers)]
    if form == "root":
        parts.append(_no_namespaces(numbers))
    return b"".join((*parts, _step(_RETURN, _ALLOW)))


def _native_calls(numbers: _Numbers) -> bytes:
    """Only by the numbers that are known; loads the call's."""
    return b"".join(
        (
            _step(_LOAD, _ARCHITECTURE),
            _step(_EQUALS, numbers.architecture, 1, 0),
            _step(_RETURN, _KILL),
            _step(_LOAD, _NUMBER),
            _step(_AT_LEAST, _X32, 0, 1),
            _step(_RETURN, _ERRNO | _ENOSYS),
        )
    )


def _no_meddling(numbers: _Numbers) -> bytes:
    """No other process's memory, files or registers; no limits but one's own (pid 0)."""
    calls = (numbers.ptrace, numbers.take_file, numbers.read_memory, numbers.write_memory)
    own_limits_only = (
        _step(_EQUALS, numbers.prlimit, 0, 4),
        _step(_LOAD, _FIRST_ARGUMENT),
        _step(_EQUALS, 0, 1, 0),
        _step(_RETURN, _ERRNO | _EPERM),
        _step(_RETURN, _ALLOW),
    )
    return b"".join((*(_refused(call, _EPERM) for call in calls), *own_limits_only))


def _no_namespaces(numbers: _Numbers) -> bytes:
    """`clone3`, whose flags a filter can't see, is said not to exist: C libraries go on with `clone`."""
    return b"".join(
        (
            _refused(numbers.clone3, _ENOSYS),
            _refused(numbers.unshare, _EPERM),
            _refused(numbers.setns, _EPERM),
            _step(_EQUALS, numbers.clone, 0, 3),
            _step(_LOAD, _FIRST_ARGUMENT),
            _step(_HAS_BITS, _NEW_NAMESPACES, 0, 1),
            _step(_RETURN, _ERRNO | _EPERM),
        )
    )


def _refused(call: int, reason: int) -> bytes:
    return _step(_EQUALS, call, 0, 1) + _step(_RETURN, _ERRNO | reason)


def _step(code: int, value: int, if_so: int = 0, if_not: int = 0) -> bytes:
    """One instruction; the jumps are counted from the next one."""
    return struct.pack("<HBBI", code, if_so, if_not, value)
