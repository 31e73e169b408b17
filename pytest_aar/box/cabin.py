"""The plugin's end of a command server: one thread that starts it, talks to it and sees it die."""

import selectors
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from pytest_aar.errors import AarError, InfrastructureError

from .inside.frames import READY, RESULT_BYTES, frame, take_frame

_CHUNK = 262_144
_START_SECONDS = 30.0
#: So long after its deadline a command's result may arrive; then its server hangs or was stopped.
_GRACE = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a command server ended of which nobody on this side wanted it; `words` say it.

    `forced`: it was killed, or said what it never says; False: it failed by itself.
    """

    words: str
    forced: bool = False


class Process(Protocol):
    """A started command server."""

    def kill(self) -> None:
        """Kill it and everything that it started; all of it is dead when this returns."""
        ...

    def ending(self) -> Ending:
        """How it ended, and what it said on standard error; asked once, when it is dead."""
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
        self._ending: Ending | None = None
        self._bell: socket.socket | None = None

    def ask(self, *request: bytes, seconds: float) -> list[bytes] | Ending | None:
        """The answer to a request, without its number; None when the box was stopped or hung before it came.

        An Ending when the server ended by itself, for later requests, too. Raises InfrastructureError when it
        could not be started.
        """
        waiting = self._enqueue(request)
        if waiting is None:
            return self._ending
        self._ready.wait(_START_SECONDS)
        waiting.done.wait(seconds + _GRACE)
        if self._failure:
            raise InfrastructureError(self._failure)
        if waiting.fields is not None:
            return waiting.fields
        self.stop()  # also when it hangs: nothing that it runs may go on
        return self._ending

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
        try:
            self._bell, ear = socket.socketpair()
        except OSError as error:  # no descriptors left
            raise self._not_started(error) from error
        for end in (self._bell, ear):
            end.settimeout(0)
        thread = threading.Thread(target=self._live, args=(ear,), daemon=True, name="aar-box")
        try:
            thread.start()
        except RuntimeError as error:  # no threads left
            ear.close()
            raise self._not_started(error) from error
        self._thread = thread

    def _not_started(self, error: Exception) -> InfrastructureError:
        """Nothing runs, nothing is to be waited for."""
        self._stopped = True
        self._waiting.clear()
        if self._bell is not None:
            self._bell.close()
            self._bell = None
        return InfrastructureError(f"the box could not be started: {error}")

    def _ring(self) -> None:
        with self._lock:
            if self._bell is not None:
                with suppress(OSError):  # it rings already, or nobody hears it any more
                    self._bell.send(b"!")

    def _live(self, ear: socket.socket) -> None:
        try:
            with ear:
                self._serve(ear)
        except (OSError, AarError) as error:
            self._note(Ending(words=str(error)))
        except Exception as error:  # noqa: BLE001 - a thread has nobody else to tell
            self._note(Ending(words=f"{type(error).__name__}: {error}"))
        finally:
            self._release()

    def _serve(self, ear: socket.socket) -> None:
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                process = self._launch(theirs)
            nonsense = None
            try:
                self._talk(ours, ear)
            except ValueError as error:
                nonsense = Ending(words=f"its command server talks nonsense: {error}", forced=True)
            finally:
                ours.close()
                process.kill()
                ending = process.ending()
            self._note(nonsense or ending)

    def _note(self, ending: Ending) -> None:
        if self._stopped:
            return
        if self._ready.is_set():
            self._ending = ending
        else:
            self._failure = f"the box could not be started: {ending.words}"

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
        """Send and take what there is; False when the server is gone, ValueError when it talks nonsense."""
        try:
            if events & selectors.EVENT_WRITE:
                with self._lock:
                    del self._outgoing[: control.send(self._outgoing[:_CHUNK])]
            if events & selectors.EVENT_READ:
                chunk = control.recv(_CHUNK)
                if not chunk:
                    return False
                received += chunk
                while (fields := take_frame(received, RESULT_BYTES)) is not None:
                    self._hand_out(fields)
        except BlockingIOError:
            return True
        except ConnectionError:
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
