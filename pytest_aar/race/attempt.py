"""One attempt at one race: tapes, gateway session, agent under its deadline, what the tapes say."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_aar.cost import RaceBudget
from pytest_aar.errors import (
    LEG_NEEDS,
    CassetteMissing,
    InfrastructureError,
    ModelUnavailable,
    ServiceUnavailable,
)
from pytest_aar.manners.waits import is_of_limits
from pytest_aar.score import visits_of

from .boundary import bounded
from .boxes import box_for, reads_itself, tagged_url
from .records import Attempt, Entrant
from .tapes import counts_of, fault_of, open_tapes
from .watched import Grounds, WatchedBox, watched

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from pytest_aar.agents import Agent
    from pytest_aar.box import Box, Isolation
    from pytest_aar.cassettes import RaceTapes
    from pytest_aar.gateway import Gateway, RaceSession
    from pytest_aar.gateway.socket_guard import SocketGuard
    from pytest_aar.leg import ClueEnvelope, Leg
    from pytest_aar.lookout import Lookout
    from pytest_aar.settings import Settings
    from pytest_aar.trace import Finish

#: Agents that race under the step budget unless told otherwise; others race as their makers ran them.
_BUDGETED = ("react",)
#: The share of a race's time from which on waits, not the agent, are why it ran out.
_LONG_WAITS = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Heat:
    """What one attempt is run with. `again`: the live race after a replay that diverged.

    `isolation` finds out what boxes there are; `hidden` are folders that no box may show.
    `grounds` are where the lookout's needles come from.
    """

    settings: Settings
    leg: Leg
    agent: Agent
    entrant: Entrant
    workdir: Path
    isolation: Callable[[], Isolation]
    hidden: tuple[Path, ...] = ()
    grounds: Grounds = field(default_factory=Grounds)
    again: bool = False
    budget: RaceBudget = field(default_factory=RaceBudget)

    @property
    def steps(self) -> int | None:
        """The number of model calls that the race may take, None for any number."""
        asked = self.settings.max_steps or ("budget" if self.agent.name in _BUDGETED else "none")
        named = {"budget": self.leg.step_budget, "3K": 3 * len(self.leg.stops), "none": None}
        return named[asked] if asked in named else int(asked)

    @property
    def offline(self) -> bool:
        """Whether everything that the race may ask for is recorded or in the sandbox world."""
        return self.settings.record == "none"

    def envelope(self) -> ClueEnvelope:
        """All that the agent sees; the budget only when it is enforced."""
        from pytest_aar.leg_file import envelope  # noqa: PLC0415 - loads pydantic
        from pytest_aar.tools import TOOL_NAMES  # noqa: PLC0415 - loads pydantic

        return envelope(self.leg, tools=TOOL_NAMES, step_budget=self.steps)

    def prompt(self) -> str:
        """The task's whole text."""
        from pytest_aar.agents import prompt_for  # noqa: PLC0415 - loads httpx
        from pytest_aar.prompt import read_template  # noqa: PLC0415 - only races need it

        file = self.settings.prompt
        template = read_template(file) if file else None
        return prompt_for(self.agent, self.envelope(), template)


def run_attempt(heat: Heat, gateway: Gateway) -> Attempt:
    """Race once. Raises InfrastructureError when the race could not even be started."""
    prompt = heat.prompt()
    tapes = _tapes(heat, prompt)
    kept: list[Attempt] = []
    try:
        fault = bounded(partial(_observed, heat, gateway, tapes, prompt, kept=kept))
        if not kept and fault is not None:
            raise fault
        attempt = replace(kept[0], problem=kept[0].problem or fault)
        attempt = _saved(attempt, tapes, heat.settings)
    finally:
        fault = _closed(tapes)
    return replace(attempt, problem=attempt.problem or fault)


def _observed(
    heat: Heat, gateway: Gateway, tapes: RaceTapes, prompt: str, *, kept: list[Attempt]
) -> None:
    """Put the attempt into `kept`, whatever may fail around it: what the agent did must not get lost by that."""
    with (
        _guarded(heat) as guard,
        watched(
            heat.leg,
            heat.grounds,
            heat.settings,
            heat.workdir,
            reads_itself=reads_itself(heat.agent, heat.settings),
        ) as watch,
        _open(heat, gateway, tapes, watch.lookout) as opened,
    ):
        raced = bounded(partial(_raced, heat, gateway, opened, prompt))
        attempt = raced if isinstance(raced, Attempt) else Attempt(problem=raced)
        if guard is not None:
            attempt = replace(attempt, problem=opened.problem or guard.problem or attempt.problem)
        kept.append(watch.told(attempt))


def _guarded(heat: Heat) -> AbstractContextManager[SocketGuard | None]:
    """Replay is offline: nothing in this process may connect to anything else while such a race is open."""
    if not heat.offline:
        return nullcontext()
    from pytest_aar.gateway.socket_guard import offline  # noqa: PLC0415 - only replays need it

    return offline()


def _tapes(heat: Heat, prompt: str) -> RaceTapes:
    from pytest_aar.agents import needs_model  # noqa: PLC0415 - loads httpx

    def opened(entrant: Entrant) -> RaceTapes:
        return open_tapes(
            heat.settings, heat.leg, entrant, prompt=prompt, workdir=heat.workdir, again=heat.again
        )

    try:
        return opened(heat.entrant)
    except CassetteMissing as missing:
        if heat.entrant.model is None or needs_model(heat.agent):
            raise
        from pytest_aar.cassettes import SilentTape  # noqa: PLC0415 - loads vcrpy

        tapes = opened(replace(heat.entrant, model=None))
        return replace(tapes, model=SilentTape(missing))


def _open(heat: Heat, gateway: Gateway, tapes: RaceTapes, lookout: Lookout) -> RaceSession:
    from pytest_aar.gateway.session import RaceOrder, Tapes  # noqa: PLC0415 - loads httpx

    return gateway.open_race(
        RaceOrder(
            leg=heat.leg,
            envelope=heat.envelope(),
            tapes=Tapes(model=tapes.model, tools=tapes.tools),
            repeat=heat.entrant.repeat,
            step_limit=heat.steps,
            budget=heat.budget,
            lookout=lookout,
        )
    )


def _raced(heat: Heat, gateway: Gateway, opened: RaceSession, prompt: str) -> Attempt:
    finish: Finish | None = None
    problem: InfrastructureError | None = None
    box = WatchedBox(box_for(heat, opened), opened.order.lookout)
    ended = bounded(lambda: gateway.run(_drive(heat, opened, prompt, box)))
    if isinstance(ended, InfrastructureError):
        problem = ended
    else:
        finish = ended
    # What the gateway met first explains what the agent said of it.
    problem = opened.problem or problem or outage_of(finish, opened.waits_for)
    problem = problem or service_trouble(heat, finish, opened)
    tape = opened.order.tapes.tools
    if isinstance(problem, ServiceUnavailable) and tape is not None:
        tape.forget(opened.faulty_keys)
    raced = Attempt(trace=opened.trace(), finish=finish, problem=problem, isolation=box.name)
    return raced if problem is not None else _with_redirects(raced, heat, gateway, opened)


def _with_redirects(raced: Attempt, heat: Heat, gateway: Gateway, opened: RaceSession) -> Attempt:
    """With where golden pages lead, asked when the race is over: it costs the agent no time.

    Who has reached no page at all has visited none under any name, and the wiki may be out: it is not asked.
    """
    if heat.entrant.world == "sandbox" or not visits_of(raced.trace).titles:
        return raced
    asked = bounded(lambda: gateway.golden_redirects(heat.leg, opened.order.tapes.tools))
    if isinstance(asked, InfrastructureError):
        return replace(raced, wiki_failure=str(asked))
    return replace(raced, redirects=asked.final, wiki_failure=asked.failure)


def outage_of(finish: Finish | None, waits_for: str | None) -> ModelUnavailable | None:
    """A time-out without an answer is the server's while that is failing, or silent for long."""
    if waits_for is None or finish is None or finish.ending != "timeout":
        return None
    if finish.answer is not None:
        return None
    return ModelUnavailable(f"the race's time ran out while its model did not answer: {waits_for}")


def service_trouble(
    heat: Heat, finish: Finish | None, opened: RaceSession
) -> ServiceUnavailable | None:
    """A needed live service that was failing at the end; time that ran out while turns were waited for."""
    if opened.failing:
        tool, why = next(iter(opened.failing.items()))
        tape = opened.order.tapes.tools
        if tape is not None and tape.replaying:
            return ServiceUnavailable(f"{why} (the leg needs {tool})", final=True)
        return ServiceUnavailable(f"{why}{LEG_NEEDS.format(tool=tool)}")
    waited, limit = opened.pauses.seconds, heat.settings.timeout
    if finish is None or finish.ending != "timeout" or waited < _LONG_WAITS * limit:
        return None
    return ServiceUnavailable(
        f"the race's time of {limit:g} s ran out, and for {waited:.0f} s of it tools waited for their turn at live "
        f"services, {', '.join(sorted(opened.pauses.labels))}: race with fewer workers or a longer --aar-timeout, or "
        + ("see --aar-limits" if any(map(is_of_limits, opened.pauses.labels)) else "later"),
        final=True,
    )


async def _drive(heat: Heat, opened: RaceSession, prompt: str, box: Box) -> Finish:
    from pytest_aar.agents import Course, Limits  # noqa: PLC0415 - loads httpx
    from pytest_aar.agents.drive import drive  # noqa: PLC0415 - loads httpx

    async with opened.client() as http:
        course = Course(
            workdir=heat.workdir,
            http=http,
            prompt=prompt,
            box=box,
            open_url=lambda: tagged_url(opened),
            model=heat.entrant.model,
            was_refused=lambda: opened.trace().was_refused,
            options=heat.settings.agent_options,
        )
        try:
            return await drive(
                _for_leg(heat.agent, heat.leg),
                opened.order.envelope,
                course,
                Limits(seconds=heat.settings.timeout, steps=heat.steps),
                used_up=lambda: opened.used_up,
            )
        finally:
            opened.settle()


def _for_leg(agent: Agent, leg: Leg) -> Agent:
    """Only the golden agent asks for its leg."""
    bind: Any = getattr(agent, "for_leg", None)
    if agent.name != "golden" or bind is None:
        return agent
    bound: Agent = bind(leg)
    return bound


def _closed(tapes: RaceTapes) -> InfrastructureError | None:
    """Let go of the recordings; what keeps us from that is told and takes no race with it."""
    try:
        tapes.close()
    except OSError as error:
        return InfrastructureError(f"can't let go of the race's recordings: {error}")
    return None


def _saved(attempt: Attempt, tapes: RaceTapes, settings: Settings) -> Attempt:
    """Save what was recorded in a race without a problem; take in what the tapes say.

    What a contaminated race says holds answers: nothing to keep for replays.
    """
    problem = attempt.problem or fault_of(tapes, strict=settings.strict_replay)
    if problem is None and not attempt.contaminated:
        try:
            tapes.save(timed_out=attempt.finish is not None and attempt.finish.ending == "timeout")
        except InfrastructureError as error:
            problem = error
    return replace(attempt, problem=problem, replay=counts_of(tapes), stale=tapes.stale)
