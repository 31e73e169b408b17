"""While a replayed race is open, this process connects to nothing but itself.

In-process agents and whatever they import could else fetch what no recording holds: the race would pass here and
fail, or say something else, on another machine. Connections over `socket` and asyncio are seen; a library that
makes its system calls without them (uvloop, C extensions) is not. Child processes get a dead proxy instead, see `box`.
"""

import asyncio
import socket
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from ipaddress import ip_address
from pathlib import Path
from types import FrameType
from typing import Any
from weakref import WeakSet

from pytest_aar.errors import ConnectionBlocked, ReplayDiverged

_INTERNET = (socket.AF_INET, socket.AF_INET6)
_STDLIB = tuple(sysconfig.get_path(name) for name in ("stdlib", "platstdlib"))
#: Packages are installed below the standard library's folder, or in a virtual environment.
_PACKAGES = (sysconfig.get_path("purelib"), "/site-packages/", "/dist-packages/")
#: They connect for somebody else, who is to be named.
_CARRIERS = ("httpx", "httpcore", "anyio", "requests", "urllib3", "aiohttp")
#: Names of threads: those of agents, and the gateway's loop.
_RACING = ("aar-agent-", "aar-gateway")
_OURS = str(Path(__file__).parents[1])


class SocketGuard:
    """What was tried while the guard stood: `attempts` by the race, `others` by the rest of this process."""

    def __init__(self) -> None:
        self.attempts: list[str] = []
        self.others: list[str] = []
        self._threads = WeakSet[threading.Thread]()

    @property
    def problem(self) -> ReplayDiverged | None:
        """The first attempt as the race's problem: it counts although the agent may have gone on over it."""
        return ReplayDiverged(self.attempts[0]) if self.attempts else None

    def check(self, host: object) -> None:
        """Raise ConnectionBlocked, and keep it, unless the host is this machine by a name that needs no look-up."""
        if is_loopback(host):
            return
        message = (
            f"blocked: a connection to {_shown(host)} from {_caller()}; replay is offline. Reach tools and "
            "models through the gateway (course.http, AAR_GATEWAY, OPENAI_BASE_URL), or race with --aar-record=off"
        )
        (self.attempts if self._is_of_race() else self.others).append(message)
        raise ConnectionBlocked(message)

    def starts(self, thread: threading.Thread) -> None:
        """Take note of a thread that is about to start."""
        if self._is_of_race():
            self._threads.add(thread)

    def _is_of_race(self) -> bool:
        """By context (tasks, `asyncio.to_thread`), or by thread."""
        thread = threading.current_thread()
        return _GUARD.get() is self or thread in self._threads or thread.name.startswith(_RACING)


#: The guard in whose block the running code was started.
_GUARD: ContextVar[SocketGuard | None] = ContextVar("aar_socket_guard", default=None)


def is_loopback(host: object) -> bool:
    """Whether a host, as `connect` and `getaddrinfo` take it, can only be this machine."""
    name = _shown(host).lower().rstrip(".") if host else ""
    if name in ("", "localhost") or name.endswith(".localhost"):
        return True
    try:
        address = ip_address(name)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return bool(mapped.is_loopback or mapped.is_unspecified)


@contextmanager
def offline() -> Iterator[SocketGuard]:
    """Guard this process, all its threads, until the end of the block, however it ends."""
    guard, standing = SocketGuard(), [True]

    def check(host: object) -> None:
        if standing:  # a patched function that somebody kept is harmless later
            guard.check(host)

    with ExitStack() as stack:
        stack.callback(standing.clear)
        stack.callback(_GUARD.reset, _GUARD.set(guard))
        _patch(stack, threading.Thread, "start", _starting(threading.Thread.start, guard))
        for name in ("connect", "connect_ex"):
            _patch(stack, socket.socket, name, _connecting(getattr(socket.socket, name), check))
        for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex"):
            _patch(stack, socket, name, _looking_up(getattr(socket, name), check))
        loop = asyncio.BaseEventLoop
        _patch(stack, loop, "getaddrinfo", _looking_up_async(loop.getaddrinfo, check))
        yield guard


def _starting(original: Callable[..., Any], guard: SocketGuard) -> Callable[..., Any]:
    def start(self: threading.Thread) -> Any:
        guard.starts(self)
        return original(self)

    return start


def _connecting(
    original: Callable[..., Any], check: Callable[[object], None]
) -> Callable[..., Any]:
    def connect(self: socket.socket, address: Any) -> Any:
        if self.family in _INTERNET and isinstance(address, tuple):
            check(address[0])
        return original(self, address)

    return connect


def _looking_up(
    original: Callable[..., Any], check: Callable[[object], None]
) -> Callable[..., Any]:
    def look_up(host: Any, *rest: Any, **named: Any) -> Any:
        check(host)
        return original(host, *rest, **named)

    return look_up


def _looking_up_async(
    original: Callable[..., Any], check: Callable[[object], None]
) -> Callable[..., Any]:
    # asyncio looks names up in a thread, where nobody knows any longer who asked.
    async def look_up(self: Any, host: Any, *rest: Any, **named: Any) -> Any:
        check(host)
        return await original(self, host, *rest, **named)

    return look_up


def _patch(stack: ExitStack, owner: Any, name: str, guarded: Callable[..., Any]) -> None:
    """Put the guarded function in; take it out again unless somebody has put another one over it."""
    inherited = name not in vars(owner)
    original = getattr(owner, name)

    def restore() -> None:
        if vars(owner).get(name) is not guarded:
            return
        if inherited:
            delattr(owner, name)
        else:
            setattr(owner, name, original)

    setattr(owner, name, guarded)
    stack.callback(restore)


def _shown(host: object) -> str:
    return (
        bytes(host).decode("ascii", "replace") if isinstance(host, bytes | bytearray) else str(host)
    )


def _caller() -> str:
    """`file:line` of the innermost frame that is of a project, else of a package that is no mere carrier."""
    fallback = ""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file, place = frame.f_code.co_filename, f"{frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back
        if file.startswith((_OURS, "<frozen")):
            continue
        if any(part in file for part in _PACKAGES):
            fallback = fallback or ("" if _is_carrier(file) else place)
        elif not file.startswith(_STDLIB):
            return place
    return fallback or "an unknown place"


def _is_carrier(file: str) -> bool:
    return any(f"/{name}/" in file for name in _CARRIERS)
