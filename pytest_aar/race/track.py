"""The track: what a process needs to race legs one after another, and the races it has run."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_aar.cost import RaceBudget, RunBudget
from pytest_aar.errors import AarError, ConfigurationError, InfrastructureError
from pytest_aar.folders import sweep_once, work_folder
from pytest_aar.guarded import secrets_of
from pytest_aar.results import RaceRecord
from pytest_aar.settings import world_label

from .attempt import Heat, run_attempt
from .attempts import Tried, attempts
from .boundary import bounded
from .boxes import probed
from .discretion import censored_record
from .kept import EarlierRaces
from .records import Attempt, Circumstances, Entrant, Race, line_of
from .scorekeeper import Scorekeeper
from .services import addresses_in, check_services
from .tapes import asks_services, goes_live
from .watched import Grounds

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from pytest_aar.agents import Agent
    from pytest_aar.box import Isolation
    from pytest_aar.gateway import Gateway, RaceSession
    from pytest_aar.leg import Leg
    from pytest_aar.settings import Settings

    from .shared import SharedRaces


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldInUse:
    """A world's name, and the hash of its data (None: it is live)."""

    name: str
    hash: str | None


class Track:
    """Races legs, each once per agent, model and repeat; `close` it at the end of the session.

    `shared` is where the workers of one session find each other's races; None: there is one process.
    `budget` bounds the run's live races, None: no limit. Under `--aar-resume` the races that `run` holds
    count as run. `isolation` tells which boxes there are, None: found out at the first race that has one.
    """

    def __init__(
        self,
        settings: Settings,
        run: Path,
        *,
        gateway: Gateway | None = None,
        shared: SharedRaces | None = None,
        budget: RunBudget | None = None,
        isolation: Callable[[], Isolation] | None = None,
    ) -> None:
        self._settings, self._run = settings, run
        self._meeting: Path | None = None
        self._isolation = isolation or partial(probed, settings.isolation)
        self._gateway, self._shared, self._budget = gateway, shared, budget
        self._earlier = EarlierRaces(run) if settings.resume else None
        self._secrets = secrets_of(settings)
        self._scorekeeper = Scorekeeper(settings=settings, run=run, secrets=self._secrets)
        self._agent: Agent | None = None
        self._races: dict[tuple[str, str, int], Race] = {}
        self._ended: list[RaceRecord] = []
        self._grounds: dict[str, Grounds] = {}

    def meet(self, folder: Path) -> None:
        """Share manners towards live services with the other workers there; to be called before the first race."""
        self._meeting = folder

    @property
    def gateway(self) -> Gateway:
        """The gateway of this process, made at the first use."""
        if self._gateway is None:
            from pytest_aar.gateway import Gateway  # noqa: PLC0415 - loads httpx

            self._gateway = Gateway(self._settings, meeting=self._meeting)
        return self._gateway

    def agent(self) -> Agent:
        """The agent that the settings name. Raises ConfigurationError when they name none."""
        if self._agent is None:
            from pytest_aar import agents  # noqa: PLC0415 - only races need it

            if self._settings.agent is None:
                names = ", ".join(sorted(agents.AGENT_NAMES))
                raise ConfigurationError(
                    f"no agent chosen: --aar-agent=NAME (or ini aar_agent) with one of {names}, or "
                    "package.module:Class for an agent of yours; golden needs no model"
                )
            self._agent = agents.make_agent(self._settings.agent, self._settings.agent_options)
        return self._agent

    def world(self, leg: Leg) -> WorldInUse:
        """The world that answers the tools of this leg."""
        name = world_label(self.gateway.world_name(leg))
        return WorldInUse(name=name, hash=self.gateway.world_hash(leg))

    def open_course(self, leg: Leg) -> AbstractContextManager[RaceSession]:
        """A race opened on the gateway without an agent: no recordings, no limits, but the run's budget counts it."""
        from pytest_aar.gateway.session import RaceOrder  # noqa: PLC0415 - only races need it
        from pytest_aar.leg_file import envelope  # noqa: PLC0415 - only races need it
        from pytest_aar.tools import TOOL_NAMES  # noqa: PLC0415 - only races need it

        told = envelope(leg, tools=TOOL_NAMES, step_budget=None)
        ledger = self._budget.ledger if self._budget is not None else None
        return self.gateway.open_race(
            RaceOrder(leg=leg, envelope=told, budget=RaceBudget(ledger=ledger))
        )

    def race(
        self, leg: Leg, agent: Agent, *, repeat: int = 1, grounds: Grounds | None = None
    ) -> Race:
        """The race of this leg: run now, or the one run before in this session. `grounds`: where answers lie."""
        self._grounds[leg.leg_id] = grounds or Grounds()
        key = (leg.leg_id, agent.name, repeat)
        if key not in self._races:
            race = self._raced(key, leg, agent)
            self._races[key] = race
            self._ended.append(race.record)
        return self._races[key]

    def crashed(self, leg: Leg, *, repeat: int, detail: str) -> RaceRecord:
        """The line of a race whose process died in the middle of it."""
        from pytest_aar.agents import needs_model  # noqa: PLC0415 - loads httpx

        problem = InfrastructureError(f"the worker died while it raced this leg: {detail}")
        try:
            agent = self.agent()
            entrant = self._entrant(leg, agent, repeat)
            if not needs_model(agent):
                entrant = replace(entrant, model=None)  # as in the lines of races that asked none
        except AarError:  # an agent that only a fixture knows: its name is all that is missing
            entrant = Entrant(agent=self._settings.agent or "", repeat=repeat)
        line = line_of(leg, entrant, Attempt(problem=problem), None, Circumstances())
        return censored_record(line, self._secrets)

    def take_ended(self) -> list[RaceRecord]:
        """Lines of the races that ended since the last call."""
        ended, self._ended = self._ended, []
        return ended

    def close(self) -> None:
        """End the gateway."""
        if self._gateway is not None:
            self._gateway.close()

    def _raced(self, key: tuple[str, str, int], leg: Leg, agent: Agent) -> Race:
        earlier = self._earlier_race(key, leg, agent)
        if earlier is not None:
            return earlier
        if self._shared is None:
            return self._run_race(leg, agent, key[2])
        return self._shared.race(key, leg, lambda: self._run_race(leg, agent, key[2]))

    def _earlier_race(self, key: tuple[str, str, int], leg: Leg, agent: Agent) -> Race | None:
        if self._earlier is None:
            return None
        entrant = bounded(partial(self._entrant, leg, agent, key[2]))
        # What keeps the entrant from racing now is told by the race that is tried.
        return self._earlier.find(key, leg, entrant) if isinstance(entrant, Entrant) else None

    def _run_race(self, leg: Leg, agent: Agent, repeat: int) -> Race:
        started_at, watch = time.time(), time.perf_counter()
        tried = attempts(
            partial(self._once, leg, agent, repeat),
            retries=self._settings.infra_retries,
            renews=self._settings.record == "diverged",
        )
        if not tried.attempt.trace.model_calls and not _needs_model(agent):
            # the run has a model, this race did not ask it
            tried = replace(tried, entrant=replace(tried.entrant, model=None))
        validity = self._grounds[leg.leg_id].validity
        return self._scorekeeper.race(
            leg, tried, started_at=started_at, watch=watch, validity=validity
        )

    def _once(self, leg: Leg, agent: Agent, repeat: int, *, again: bool) -> Tried:
        entrant = bounded(partial(self._entrant, leg, agent, repeat))
        if isinstance(entrant, InfrastructureError):
            nobody = Entrant(agent=agent.name, repeat=repeat)
            return Tried(attempt=Attempt(problem=entrant), entrant=nobody)
        raced = bounded(partial(self._one_attempt, leg, agent, entrant, again=again))
        attempt = raced if isinstance(raced, Attempt) else Attempt(problem=raced)
        return Tried(attempt=attempt, entrant=entrant)

    def _entrant(self, leg: Leg, agent: Agent, repeat: int) -> Entrant:
        world = self.world(leg)
        return Entrant(
            agent=agent.name,
            recorded_as=getattr(agent, "recorded_as", ""),
            version=agent.version(),
            model=self.gateway.model_name,
            repeat=repeat,
            world=world.name,
            world_hash=world.hash,
        )

    def _one_attempt(self, leg: Leg, agent: Agent, entrant: Entrant, *, again: bool) -> Attempt:
        if self._budget is not None and goes_live(self._settings, leg, entrant, again=again):
            used_up = self._budget.used_up()
            if used_up is not None:
                return Attempt(skipped=used_up)
        if asks_services(self._settings, leg, entrant, again=again):
            addresses = addresses_in(entrant.world, self._settings.services)
            check_services(leg, self.gateway.refusals, os.environ, addresses)
        sweep_once()
        with work_folder() as folder:
            workdir = folder / "race"
            workdir.mkdir()
            heat = Heat(
                settings=self._settings,
                leg=leg,
                agent=agent,
                entrant=entrant,
                workdir=workdir,
                isolation=self._isolation,
                hidden=(*self._settings.answer_folders, self._run),
                grounds=replace(self._grounds[leg.leg_id], results=self._run),
                again=again,
                budget=self._race_budget(),
            )
            return run_attempt(heat, self.gateway)

    def _race_budget(self) -> RaceBudget:
        return RaceBudget(
            max_tokens=self._settings.max_race_tokens,
            max_cost=self._settings.max_race_cost,
            ledger=self._budget.ledger if self._budget is not None else None,
        )


def _needs_model(agent: Agent) -> bool:
    from pytest_aar.agents import needs_model  # noqa: PLC0415 - loads httpx

    return needs_model(agent)
