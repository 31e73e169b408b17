"""A model that plans routes or words clues: asked through the gateway, one recording for each leg."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from types import TracebackType
from typing import TYPE_CHECKING, Any

from pytest_aar.chat_reply import first_choice, message_of
from pytest_aar.errors import InfrastructureError
from pytest_aar.gateway import Gateway, RaceOrder, RaceSession, Tapes
from pytest_aar.leg import ClueEnvelope, Difficulty, FinishLine, Leg
from pytest_aar.settings import Settings

from .draft import Ask
from .order import GENERATOR, Order

if TYPE_CHECKING:
    import httpx

    from pytest_aar.cassettes import RaceTapes

_ROAD = "openai/v1/chat/completions"
#: Under which name its recordings lie beside those of agents.
RECORDED_AS = "generator"


class Author:
    """Use it as a context manager: a gateway is open meanwhile. `upstream` replaces the road to the model."""

    def __init__(
        self, settings: Settings, upstream: "httpx.AsyncBaseTransport | None" = None
    ) -> None:
        self._settings = settings
        self._gate = Gateway(settings, upstream=upstream)

    def __enter__(self) -> "Author":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._gate.close()

    @asynccontextmanager
    async def of_leg(self, order: Order, number: int) -> AsyncIterator[Ask]:
        """Asks the model for one leg; what was said is recorded, or replayed, as the settings say.

        Raises:
            InfrastructureError: the model can't be reached, or its recording lacks what is asked.
        """
        leg = _leg_to_be(order, number)
        tapes = self._tapes(leg)
        try:
            race = RaceOrder(leg=leg, envelope=_nothing(leg), tapes=Tapes(model=tapes.model))
            session = await asyncio.to_thread(self._gate.open_race, race)
            with session:
                yield self._asking(session)
            tapes.save()
        finally:
            tapes.close()

    def _tapes(self, leg: Leg) -> "RaceTapes":
        from pytest_aar import cassettes  # noqa: PLC0415 - loads vcrpy, only models need it

        files = cassettes.RaceFiles.of(
            self._settings.cassettes,
            leg.leg_id,
            agent=RECORDED_AS,
            model=self._gate.model_name,
        )
        metadata = cassettes.Metadata(
            agent=RECORDED_AS, agent_version=GENERATOR, model=self._gate.model_name or ""
        )
        return cassettes.tapes_for(self._settings.record, files, metadata=metadata)

    def _asking(self, session: RaceSession) -> Ask:
        async def ask(role: str, question: str) -> str:
            reply = await asyncio.to_thread(self._gate.run, self._asked(session, role, question))
            if session.problem is not None:
                raise session.problem
            if reply.status_code != HTTPStatus.OK:
                raise InfrastructureError(
                    f"the model {self._gate.model_name} answered HTTP {reply.status_code} to the "
                    f"generator: {reply.text[:200]}"
                )
            return str(message_of(first_choice(reply.content)).get("content") or "")

        return ask

    async def _asked(self, session: RaceSession, role: str, question: str) -> "httpx.Response":
        body: dict[str, Any] = {
            "model": self._gate.model_name,
            "messages": [
                {"role": "system", "content": role},
                {"role": "user", "content": question},
            ],
        }
        async with session.client() as client:
            return await client.post(_ROAD, json=body)


def _leg_to_be(order: Order, number: int) -> Leg:
    """A leg that has no more than its id: the gateway opens races of legs only."""
    end = FinishLine(
        index=0, value=0, value_type="number", page_url=None, target="", expression="0", operands=()
    )
    return Leg(
        leg_id=order.leg_id(number),
        variant=order.variant,
        level=order.level.name,
        sha256="",
        trail_id="",
        seed_url=order.wiki,
        seed_title="",
        stops=(end,),
        digit=0,
        difficulty=Difficulty(level=order.level.name),
        clues="",
        metadata={},
        generated_at=order.generated_at,
    )


def _nothing(leg: Leg) -> ClueEnvelope:
    return ClueEnvelope(seed_url=leg.seed_url, clues="", tools=(), step_budget=None)
