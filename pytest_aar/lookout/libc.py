"""The C library, where this Python can call it."""

from typing import Any


def libc() -> Any | None:
    """Its functions; None for an interpreter that was built without ctypes."""
    try:
        import ctypes  # noqa: PLC0415 - interpreters without libffi lack it, and only races need it
    except ImportError:
        return None
    return ctypes.CDLL(None, use_errno=True)
