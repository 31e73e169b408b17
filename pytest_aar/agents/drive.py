"""Running an agent to its end: the deadline, and the answer that counts at every ending."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from pytest_aar.errors import AgentCrashed
from pytest_aar.leg import ClueEnvelope
from pytest_aar.trace import Ending, Finish

from .answer import read_answer
from .protocol import Agent, Course, Limits

#: How the replay of such a race ends.
_AS_RECORDED = "the recorded race ran out of time while it waited for a model call"


async def drive(
    agent: Agent,
    envelope: ClueEnvelope,
    course: Course,
    limits: Limits,
    *,
    used_up: Callable[[], Ending | None] = lambda: None,
) -> Finish:
    """The finish of one race; at the deadline the agent is cancelled and its box stopped.

    `used_up` tells the ending of a race of which a model call was refused at a limit, None for others.

    Raises:
        AgentCrashed: the agent failed to start or died of itself, and not because a limit was reached.
    """
    try:
        async with asyncio.timeout(limits.seconds) as clock:
            finish = await agent.run(envelope, course, limits)
    except TimeoutError:
        if not clock.expired():
            raise  # the agent's own, not the race's deadline
        finish = Finish(ending="timeout", detail=f"no end after {limits.seconds:g} s")
    except Exception as error:
        ending = used_up()
        # At a recorded time-out the agent was stopped: whatever it makes of the refusal did not happen then.
        if ending is None or not (isinstance(error, AgentCrashed) or ending == "timeout"):
            raise
        finish = Finish(ending=ending, detail=str(error))
    finally:
        course.box.stop()
    return _judged(finish, course, used_up())


def _judged(finish: Finish, course: Course, used_up: Ending | None) -> Finish:
    """The answer file is read at every ending; an answer that the agent returned comes first.

    An agent that gave up or was refused after it had written its digit has answered.
    """
    if used_up == "timeout":  # what it says now, its recorded race did not live to hear
        finish = Finish(ending="timeout", detail=_AS_RECORDED)
    if finish.answer is None:
        finish = replace(finish, answer=read_answer(course.workdir).answer)
    if finish.ending not in ("no-answer", "answered"):
        return finish
    if finish.answer is not None:
        return replace(finish, ending="answered")
    return replace(finish, ending=used_up or "no-answer")
