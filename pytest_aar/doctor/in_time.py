"""What answers within a time, of things that may hang for good."""

import threading
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future, wait
from typing import TypeVar

Name = TypeVar("Name", bound=Hashable)
Answer = TypeVar("Answer")


def in_time(jobs: Mapping[Name, Callable[[], Answer]], *, seconds: float) -> dict[Name, Answer]:
    """The answers that came within so many seconds, all jobs side by side; what a job raises is raised.

    A thread that hangs can't be stopped: it is left behind, and keeps no program from ending.
    """
    asked = {name: _started(job) for name, job in jobs.items()}
    done, _ = wait(asked.values(), timeout=seconds)
    return {name: each.result() for name, each in asked.items() if each in done}


def _started(job: Callable[[], Answer]) -> Future[Answer]:
    answer: Future[Answer] = Future()

    def run() -> None:
        try:
            found = job()
        except BaseException as problem:  # noqa: BLE001 - told to whoever waits
            answer.set_exception(problem)
        else:
            answer.set_result(found)

    threading.Thread(target=run, daemon=True).start()
    return answer
