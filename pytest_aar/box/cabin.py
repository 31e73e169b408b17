"""The plugin's end of a command server: one thread that starts it, talks to it and sees it die."""

import selectors
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from pytest_aar.errors import AarError, InfrastructureError

from .inside.frames import READY, frame, take_frame

_CHUNK = 262_144
_START_SECONDS = 30.0
#: So long after its deadline a command's result may arrive; then its server hangs or was stopped.
_GRACE = 2.0


class Process(Protocol):
    """A started command server."""

    def kill(self) -> None:
        """Kill it and everything that it started; all of it is dead when this returns."""
        ...

    def last_words(self) -> str:
        """What it said on standard error; asked once, when it is dead."""
        ...


@dataclass(slots=True)
class _Waiting:
    done: threading.Event = field(default_factory=threading.Event)
    fields: list[bytes] | None = None


class Cabin:
    """Sends requests and hands out results, to any number of threads.

    `launch` starts the server with one end of a socket as its standard input. It is called in a thread that
    lives as long as the server: the kernel ends a bwrap sandbox with the thread that started it.
    """

    def __init__(self, launch: Callable[[socket.socket], Process]) -> None:
        self._launch = launch
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stopped = False
        self._numbers = 0
        self._waiting: dict[bytes, _Waiting] = {}
        self._outgoing = bytearray()
        self._ready, self._failure = threading.Event(), ""
        self._bell: socket.socket | None = None

    def ask(self, *request: bytes, seconds: float) -> list[bytes] | None:
        """The answer to a request, without its number; None when the server ended or hung before it came.

        Raises InfrastructureError when the server could not be started.
        """
        waiting = self._enqueue(request)
        if waiting is None:
            return None
        self._ready.wait(_START_SECONDS)
        waiting.done.wait(seconds + _GRACE)
        if self._failure:
            raise InfrastructureError(self._failure)
        if waiting.fields is None:
            self.stop()  # also when it hangs: nothing that it runs may go on
        return waiting.fields

    def stop(self) -> None:
        """End the server and all that it runs; back when everything is dead."""
        with self._lock:
            self._stopped = True
            thread = self._thread
        self._ring()
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _enqueue(self, request: tuple[bytes, ...]) -> _Waiting | None:
        with self._lock:
            if self._stopped:
                return None
            self._numbers += 1
            number = b"%d" % self._numbers
            waiting = self._waiting[number] = _Waiting()
            self._outgoing += frame(number, *request)
            if self._thread is None:
                self._start()
        self._ring()
        return waiting

    def _start(self) -> None:
        self._bell, ear = socket.socketpair()
        for end in (self._bell, ear):
            end.settimeout(0)
        self._thread = threading.Thread(target=self._live, args=(ear,), daemon=True, name="aar-box")
        self._thread.start()

    def _ring(self) -> None:
        with self._lock:
            if self._bell is not None:
                with suppress(OSError):  # it rings already, or nobody hears it any more
                    self._bell.send(b"!")

    def _live(self, ear: socket.socket) -> None:
        ours, theirs = socket.socketpair()
        try:
            with ear, ours:
                with theirs:
                    process = self._launch(theirs)
                try:
                    self._talk(ours, ear)
                finally:
                    ours.close()
                    process.kill()
                    self._note_failure(process.last_words())
        except (OSError, AarError) as error:
            self._note_failure(str(error))
        finally:
            self._release()

    def _note_failure(self, why: str) -> None:
        if not self._ready.is_set() and not self._stopped:
            self._failure = f"the box could not be started: {why or 'it ended at once'}"

    def _release(self) -> None:
        with self._lock:
            self._stopped = True
            waiting, self._waiting = self._waiting, {}
            if self._bell is not None:
                self._bell.close()
                self._bell = None
        self._ready.set()
        for one in waiting.values():
            one.done.set()

    def _talk(self, control: socket.socket, ear: socket.socket) -> None:
        control.settimeout(0)
        received = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(ear, selectors.EVENT_READ)
            selector.register(control, selectors.EVENT_READ)
            while not self._stopped:
                out = selectors.EVENT_WRITE if self._outgoing else 0
                selector.modify(control, selectors.EVENT_READ | out)
                for key, events in selector.select():
                    if key.fileobj is ear:
                        ear.recv(_CHUNK)
                    elif not self._exchange(control, events, received):
                        return

    def _exchange(self, control: socket.socket, events: int, received: bytearray) -> bool:
        """Send and take what there is; False when the server is gone or talks nonsense."""
        try:
            if events & selectors.EVENT_WRITE:
                with self._lock:
                    del self._outgoing[: control.send(self._outgoing[:_CHUNK])]
            if events & selectors.EVENT_READ:
                chunk = control.recv(_CHUNK)
                if not chunk:
                    return False
                received += chunk
                while (fields := take_frame(received)) is not None:
                    self._hand_out(fields)
        except BlockingIOError:
            return True
        except (ConnectionError, ValueError):
            return False
        return True

    def _hand_out(self, fields: list[bytes]) -> None:
        if fields == [READY]:
            self._ready.set()
            return
        with self._lock:
            waiting = self._waiting.pop(fields[0], None) if fields else None
        if waiting is not None:
            waiting.fields = fields[1:]
            waiting.done.set()
