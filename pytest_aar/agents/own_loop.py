"""Users' agents run on an event loop and a thread of their own: they may block without harm to the gateway."""

import asyncio
import dataclasses
import inspect
import traceback
from pathlib import Path
from typing import Any

import httpx

from pytest_aar.errors import AarError, AgentCrashed
from pytest_aar.leg import ClueEnvelope
from pytest_aar.trace import Finish, parse_answer

from .answer import read_answer
from .protocol import Agent, Course, Limits
from .threads import in_thread

_LAST_LINES = 12


class OwnLoop:
    """Wraps a user's agent. It may return a Finish, or the answer itself as a digit or text.

    None, or no return statement, means: see `answer.txt`.
    """

    def __init__(self, inner: Any, name: str) -> None:
        self._inner: Agent = inner
        self.name = str(getattr(inner, "name", None) or name.rpartition(":")[2])
        for optional in ("how_to_call", "needs_model", "boxed", "programs", "recorded_as"):
            if hasattr(inner, optional):
                setattr(self, optional, getattr(inner, optional))

    def version(self) -> str:
        """The user's, or "0" where there is none."""
        version = getattr(self._inner, "version", None)
        return str(version()) if callable(version) else "0"

    def sources(self) -> tuple[Path, ...]:
        """The file of the user's class, where it has one."""
        kind = self._inner if inspect.isfunction(self._inner) else type(self._inner)
        try:
            return (Path(inspect.getfile(kind)),)
        except (TypeError, OSError):  # made by hand, not by a file
            return ()

    async def run(self, envelope: ClueEnvelope, course: Course, limits: Limits) -> Finish:
        """Run the user's coroutine to its end; what it raises becomes AgentCrashed."""
        bridge = _Bridge(course.http, asyncio.get_running_loop())
        stage = _Stage()

        async def race() -> Any:
            stage.enter()
            async with httpx.AsyncClient(
                transport=bridge, base_url=course.http.base_url, timeout=None, trust_env=False
            ) as http:
                return await self._inner.run(
                    envelope, dataclasses.replace(course, http=http), limits
                )

        try:
            said = await in_thread(
                lambda: asyncio.run(race()), name=f"aar-agent-{self.name}", stop=stage.cancel
            )
        except AarError:
            raise
        except Exception as error:
            lines = traceback.format_exception(error)
            last = "".join(lines).splitlines()[-_LAST_LINES:]
            raise AgentCrashed(f"agent {self.name!r} raised:\n" + "\n".join(last)) from error
        return _finish(said, course)


class _Stage:
    """Lets another thread cancel the task that entered."""

    def __init__(self) -> None:
        self._task: asyncio.Task[Any] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def enter(self) -> None:
        self._task, self._loop = asyncio.current_task(), asyncio.get_running_loop()

    def cancel(self) -> None:
        if self._task is not None and self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._task.cancel)


class _Bridge(httpx.AsyncBaseTransport):
    """Carries requests from any loop to the gateway's."""

    def __init__(self, client: httpx.AsyncClient, loop: asyncio.AbstractEventLoop) -> None:
        self._client, self._loop = client, loop

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        content = await request.aread()
        copy = httpx.Request(request.method, request.url, headers=request.headers, content=content)
        future = asyncio.run_coroutine_threadsafe(self._client.send(copy), self._loop)
        reply = await asyncio.wrap_future(future)
        return httpx.Response(reply.status_code, headers=reply.headers, content=reply.content)


def _finish(said: Any, course: Course) -> Finish:
    if isinstance(said, Finish):
        return said
    if said is None:
        return read_answer(course.workdir)
    answer = parse_answer(str(said))
    if answer is None:
        return Finish(ending="no-answer", detail=f"the agent returned {said!r:.60}, not one digit")
    return Finish(ending="answered", answer=answer)
