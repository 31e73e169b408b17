"""Running an agent to its end: the deadline, and the answer that counts at every ending."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from pytest_aar.errors import AgentCrashed
from pytest_aar.leg import ClueEnvelope
from pytest_aar.trace import Finish

from .answer import read_answer
from .protocol import Agent, Course, Limits


async def drive(
    agent: Agent,
    envelope: ClueEnvelope,
    course: Course,
    limits: Limits,
    *,
    limit_hit: Callable[[], bool] = lambda: False,
) -> Finish:
    """The finish of one race; at the deadline the agent is cancelled and its box stopped.

    Raises:
        AgentCrashed: the agent failed to start or died of itself, and not because its steps were used up.
    """
    try:
        async with asyncio.timeout(limits.seconds) as clock:
            finish = await agent.run(envelope, course, limits)
    except TimeoutError:
        if not clock.expired():
            raise  # the agent's own, not the race's deadline
        finish = Finish(ending="timeout", detail=f"no end after {limits.seconds:g} s")
    except AgentCrashed as crash:
        if not limit_hit():
            raise
        finish = Finish(ending="step-limit", detail=str(crash))
    finally:
        course.box.stop()
    return _judged(finish, course, used_up=limit_hit())


def _judged(finish: Finish, course: Course, *, used_up: bool) -> Finish:
    """The answer file is read at every ending; an answer that the agent returned comes first.

    An agent that gave up or was refused after it had written its digit has answered.
    """
    if finish.answer is None:
        finish = replace(finish, answer=read_answer(course.workdir).answer)
    if finish.ending not in ("no-answer", "answered"):
        return finish
    if finish.answer is not None:
        return replace(finish, ending="answered")
    return replace(finish, ending="step-limit" if used_up else "no-answer")
