"""What only `prctl` can ask the kernel for (Linux)."""

from __future__ import annotations

_SUBREAPER, _DUMPABLE = 36, 4
_NOW = 2  # RTLD_NOW


def adopt_orphans() -> None:
    """Become the parent of every process below this one whose own parent dies.

    A Python without `_ctypes` can't: orphans are then left to the sweep by their mark.
    """
    try:
        _prctl(_SUBREAPER, 1)
    except ImportError:
        return


def close_memory() -> None:
    """Let no other process of this user read or write this one's memory, nor take its files.

    That goes by `/proc/PID/mem` as well as by system calls. A program that is started is open again. A Python
    without `_ctypes` can't, and must not serve a sandbox: ImportError.
    """
    _prctl(_DUMPABLE, 0)


def _prctl(option: int, value: int) -> None:
    import _ctypes as c  # noqa: PLC0415 - only some servers need it; all of `ctypes` takes as long as the start

    this_program = c.dlopen(None, _NOW)  # type: ignore[arg-type] # the stubs know no None
    done = c.call_function(c.dlsym(this_program, "prctl"), (option, value, 0, 0, 0))
    if done != 0:
        raise OSError(f"prctl({option}, {value}) is refused")
