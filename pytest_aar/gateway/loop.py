"""One event loop in one daemon thread, with a synchronous bridge."""

import asyncio
import logging
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from pytest_aar.secrets import Secrets

T = TypeVar("T")

_NAME = "aar-gateway"
_GRACE = 5.0  # seconds for the tasks to take their cancellation, and for the loop to stop


class LoopThread:
    """Starts with the first use; `close` ends it. `run` must not be called from its own thread."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The running loop."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                # adding a filter twice is adding it once
                logging.getLogger("stamina").addFilter(_not_of_the_gateway)
                logging.getLogger("httpx").addFilter(_without_secrets)
                self._thread = threading.Thread(
                    target=self._loop.run_forever, name=_NAME, daemon=True
                )
                self._thread.start()
            return self._loop

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run on the loop and wait; Ctrl-C here cancels the work there."""
        future = asyncio.run_coroutine_threadsafe(work, self.loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """Cancel what still runs, stop the loop, join the thread."""
        with self._lock:
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is None or thread is None:
            return
        try:
            asyncio.run_coroutine_threadsafe(_cancel_all(), loop).result(_GRACE)
        except TimeoutError:
            pass  # a task that swallows its cancellation ends with its loop
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(_GRACE)
        if not thread.is_alive():  # a daemon thread: one that hangs does not hold up the exit
            loop.close()


def _not_of_the_gateway(record: logging.LogRecord) -> bool:
    """Drops what stamina logs of the gateway's own retries.

    Each would stand in the report of the race that failed, whose message says all of it. A filter by
    thread, not `set_on_retry_hooks`: retries of the project under test are logged as before.
    """
    return record.threadName != _NAME


def _without_secrets(record: logging.LogRecord) -> bool:
    """Redacts what httpx logs of the gateway's requests: live services take their keys in the URL."""
    if record.threadName == _NAME:
        record.msg, record.args = Secrets.of().redact(record.getMessage()), ()
    return True


async def _cancel_all() -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_asyncgens()
    with suppress(TimeoutError):  # a thread that hangs in a name look-up must not hold up the end
        await asyncio.wait_for(asyncio.get_running_loop().shutdown_default_executor(), 1)
