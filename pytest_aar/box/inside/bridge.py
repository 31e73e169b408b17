"""Carrying bytes between a TCP connection inside the box and the gateway's socket."""

from __future__ import annotations

# The C modules behind `socket` and `signal`: those take as long to import as all the rest of this server.
import _socket as socket
import time

from .loop import CHUNK, GONE, IN, OUT

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from collections.abc import Callable

    from .loop import Loop

#: Connections at a time; more wait in the kernel's queue. Two files each: far from the limit on files.
MOST_BRIDGES = 256
_ROUNDS, _PAUSE = 50, 0.02


class Forwarder:
    """Takes TCP connections on a port of 127.0.0.1 to a socket in the file system."""

    def __init__(self, loop: Loop, port: int, path: str) -> None:
        self._loop, self._path, self._open = loop, path, 0
        self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind(("127.0.0.1", port))
        self._listener.listen(128)
        self._listener.settimeout(0)
        self._watch()

    def _watch(self) -> None:
        events = IN if self._open < MOST_BRIDGES else 0
        self._loop.watch(self._listener.fileno(), events, lambda _: self._accept())

    def _accept(self) -> None:
        try:
            accepted: int = self._listener._accept()[0]  # type: ignore[attr-defined] # missing in the stubs
        except (BlockingIOError, ConnectionError):  # the caller thought better of it
            return
        except OSError:  # no files left, and it stays in the queue: come back, but do not spin
            time.sleep(_PAUSE)
            return
        near = socket.socket(fileno=accepted)
        try:
            far = _connected(self._path)
        except OSError:  # no gateway, or no files: the connection closes, as if nobody listened
            near.close()
            return
        near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._open += 1
        self._watch()
        Bridge(self._loop, near, far, self._closed)

    def _closed(self) -> None:
        self._open -= 1
        self._watch()


def _connected(path: str) -> socket.socket:
    far = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    far.settimeout(0)  # a gateway that takes nobody must not stop everything here
    try:
        _connect(far, path)
    except BaseException:
        far.close()
        raise
    return far


def _connect(far: socket.socket, path: str) -> None:
    for left in reversed(range(_ROUNDS)):
        try:
            far.connect(path)
        except BlockingIOError:  # its queue is full for the moment
            if not left:
                raise
            time.sleep(_PAUSE)
        else:
            return


class Bridge:
    """Two connections as one. `_waiting[side]` came from that side and is not yet sent to the other."""

    def __init__(
        self, loop: Loop, near: socket.socket, far: socket.socket, closed: Callable[[], object]
    ) -> None:
        self._loop, self._ends, self._closed = loop, (near, far), closed
        self._waiting, self._open = [b"", b""], [True, True]
        for end in self._ends:
            end.settimeout(0)
        self._watch()

    def _watch(self) -> None:
        turns = (lambda events: self._turn(0, events), lambda events: self._turn(1, events))
        for side, turn in enumerate(turns):
            events = IN if self._open[side] and not self._waiting[side] else 0
            events |= OUT if self._waiting[1 - side] else 0
            self._loop.watch(self._ends[side].fileno(), events, turn)

    def _turn(self, side: int, events: int) -> None:
        try:
            if events & OUT:
                self._send(1 - side)
            if events & (IN | GONE) and self._open[side] and not self._waiting[side]:
                self._receive(side)
        except OSError:  # one end is gone: so is the other
            self._close()
            return
        if any(self._open) or any(self._waiting):
            self._watch()
        else:
            self._close()

    def _receive(self, side: int) -> None:
        try:
            chunk = self._ends[side].recv(CHUNK)
        except BlockingIOError:
            return
        self._waiting[side] = chunk
        if chunk:
            self._send(side)
        else:
            self._open[side] = False
            self._ends[1 - side].shutdown(socket.SHUT_WR)

    def _send(self, side: int) -> None:
        try:
            sent = self._ends[1 - side].send(self._waiting[side])
        except BlockingIOError:
            return
        self._waiting[side] = self._waiting[side][sent:]

    def _close(self) -> None:
        for end in self._ends:
            self._loop.forget(end.fileno())
            end.close()
        self._closed()
