"""Carrying bytes between a TCP connection inside the box and the gateway's socket."""

from __future__ import annotations

# The C modules behind `socket` and `signal`: those take as long to import as all the rest of this server.
import _socket as socket

from .loop import CHUNK, GONE, IN, OUT

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from .loop import Loop


def forward(loop: Loop, port: int, path: str) -> None:
    """Take TCP connections on this port of 127.0.0.1 to a socket in the file system."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(128)
    listener.settimeout(0)

    def accept(_: int) -> None:
        try:
            accepted: int = listener._accept()[0]  # type: ignore[attr-defined] # missing in the stubs
            near = socket.socket(fileno=accepted)
        except OSError:  # the caller thought better of it, or has used up all files
            return
        far = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            far.connect(path)
        except OSError:  # no gateway: the connection closes, as if nobody listened
            far.close()
            near.close()
            return
        near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        Bridge(loop, near, far)

    loop.watch(listener.fileno(), IN, accept)


class Bridge:
    """Two connections as one. `_waiting[side]` came from that side and is not yet sent to the other."""

    def __init__(self, loop: Loop, near: socket.socket, far: socket.socket) -> None:
        self._loop, self._ends = loop, (near, far)
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
