"""A filter for system calls: no namespaces of one's own, where bwrap can't forbid them (its root form).

In a namespace of its own a program could mount a file system in memory without a limit. The filter is classic
BPF, put together here: two architectures and four calls need no library.
"""

import platform
import struct
from dataclasses import dataclass

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
    clone3: int = 435


_KNOWN = {
    "x86_64": _Numbers(architecture=0xC000003E, clone=56, unshare=272, setns=308),
    "aarch64": _Numbers(architecture=0xC00000B7, clone=220, unshare=97, setns=268),
}


def no_namespaces(machine: str | None = None) -> bytes | None:
    """The program for bwrap's `--seccomp`; None for an architecture whose numbers are not known here.

    `clone3`, whose flags a filter can't see, is said not to exist: C libraries go on with `clone`.
    """
    numbers = _KNOWN.get(machine or platform.machine())
    if numbers is None:
        return None
    return b"".join(
        (
            _step(_LOAD, _ARCHITECTURE),
            _step(_EQUALS, numbers.architecture, 1, 0),
            _step(_RETURN, _KILL),
            _step(_LOAD, _NUMBER),
            _step(_AT_LEAST, _X32, 0, 1),
            _step(_RETURN, _ERRNO | _ENOSYS),
            _step(_EQUALS, numbers.clone3, 0, 1),
            _step(_RETURN, _ERRNO | _ENOSYS),
            _step(_EQUALS, numbers.unshare, 1, 0),
            _step(_EQUALS, numbers.setns, 0, 1),
            _step(_RETURN, _ERRNO | _EPERM),
            _step(_EQUALS, numbers.clone, 0, 3),
            _step(_LOAD, _FIRST_ARGUMENT),
            _step(_HAS_BITS, _NEW_NAMESPACES, 0, 1),
            _step(_RETURN, _ERRNO | _EPERM),
            _step(_RETURN, _ALLOW),
        )
    )


def _step(code: int, value: int, if_so: int = 0, if_not: int = 0) -> bytes:
    """One instruction; the jumps are counted from the next one."""
    return struct.pack("<HBBI", code, if_so, if_not, value)
