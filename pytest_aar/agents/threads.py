"""Running blocking work beside the gateway's loop, so that a hung agent can't hang the gateway."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


async def in_thread(work: Callable[[], T], *, name: str, stop: Callable[[], None]) -> T:
    """Run `work` in a daemon thread and await it; when this is cancelled, `stop` must make it end.

    A daemon thread, not the loop's executor: the interpreter would wait at exit for one that never ends.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            result = work()
        except Exception as error:  # noqa: BLE001 - handed to the awaiting side, which raises it
            future.set_exception(error)
        except BaseException as error:  # noqa: BLE001 - sys.exit() in an agent would end the loop that awaits it
            future.set_exception(RuntimeError(f"{type(error).__name__}: {error}"))
        else:
            future.set_result(result)

    threading.Thread(target=run, daemon=True, name=name).start()
    waiting = asyncio.wrap_future(future)
    try:
        # shield: cancelling the wait must not mark the future cancelled while the thread sets it.
        return await asyncio.shield(waiting)
    except asyncio.CancelledError:
        # How a stopped thread ends is of no interest; asyncio would log it as never retrieved.
        waiting.add_done_callback(lambda done: done.cancelled() or done.exception())
        stop()
        raise
