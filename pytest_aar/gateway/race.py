"""What the routes do for one race: tools, models, task."""

import json
import secrets
import traceback
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from http import HTTPStatus
from typing import Any

import httpx
from starlette.responses import Response

from pytest_aar.errors import (
    InfrastructureError,
    ModelUnavailable,
    RecordedTimeout,
    ServiceUnavailable,
)
from pytest_aar.manners.meter import METER, Meter
from pytest_aar.manners.refusals import Refusals
from pytest_aar.secrets import Secrets, excerpt
from pytest_aar.settings import Settings
from pytest_aar.tools import Services, call, schema, shown, tool_named
from pytest_aar.tools.result import ToolFailure, ToolResult
from pytest_aar.trace import ToolCall

from .bodies import Bodies
from .needed_tools import NeededTools
from .needs import needed_languages, without_key
from .passed_call import PassedCall
from .protocols import PROTOCOLS, ChatCompletions, Refusal, WireProtocol
from .replay_keys import replayed
from .replies import BodyRoom, EscapedJson, json_mapping
from .session import RaceSession, Stopwatch, tool_event
from .tool_road import RACE_TAPE
from .upstream import ModelRoute

#: Statuses by which model servers refuse what a request asks for.
_WRONG_REQUEST = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY})
_LAST_LINES = 8
#: Refuses the calls of a replay whose recorded race has run out of time.
_TIME_UP = "aar_timeout"
_CODE_ONLY = "Write Python 3 code for the task, standard library only. Reply with the code alone."
_NO_AUTHOR = (
    "this race's model is the scripted stand-in (--aar-model=pacer), which follows a plan and writes no "
    "code: write the code yourself and run it with python_execute_code, or race with a real model"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReply:
    """What the agent gets of a tool's result."""

    text: str
    ok: bool


class OpenRace:
    """A session with its tools and its model bound."""

    def __init__(
        self,
        session: RaceSession,
        *,
        services: Any,
        model: ModelRoute | None,
        settings: Settings,
        refusals: Refusals | None = None,
    ) -> None:
        self.session = session
        self._languages = needed_languages(session.leg, services.endpoints)
        self._bodies = Bodies()
        self.room = BodyRoom()
        self.whole_key = secrets.token_urlsafe(16)
        bound = replayed(services, session.order.tapes.tools)
        self._needed = NeededTools(session, refusals, lacking=partial(_lacking, bound))
        self._services = replace(bound, write_code=self._write_code) if model else bound
        self._model = model
        self._settings = settings
        self._keys = Secrets.from_values(services.keys.values())
        #: The protocol that the race's model is asked in: the agent's.
        self._author: WireProtocol = PROTOCOLS[ChatCompletions.path]
        session.calls.is_scripted = model is not None and model.scripted

    def models(self) -> tuple[str, ...]:
        """Names of the models on offer: the run's one, or none."""
        return (self._model.name,) if self._model else ()

    def read_body(self, data: bytes) -> Any:
        """The JSON of a request to the model, seen by the lookout."""
        self.session.order.lookout.asked(data)
        return self._bodies.parse(data)

    def task(self) -> dict[str, Any]:
        """The clue envelope as JSON, for agents that ask for it."""
        envelope = self.session.order.envelope
        offered = [tool for name in envelope.tools if (tool := tool_named(name)) is not None]
        return {
            "seed_url": envelope.seed_url,
            "clues": envelope.clues,
            "step_budget": envelope.step_budget,
            "tools": [
                {"name": tool.name, "description": tool.description, "parameters": schema(tool)}
                for tool in offered
            ],
        }

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], *, whole: bool = False
    ) -> ToolReply:
        """Run the tool, write the trace, cut the text (unless it is wanted whole)."""
        if isinstance(self.session.problem, ServiceUnavailable):
            return self._no_reply(self.session.problem)
        watch = Stopwatch()
        RACE_TAPE.set(self.session.order.tapes.tools)
        meter = Meter(pauses=self.session.pauses, languages=self._languages)
        METER.set(meter)
        try:
            result = self._without_keys(await call(name, arguments, self._services))
            result = self._needed.judged(name, result, meter)
            walls = str(result.details.get("isolation", ""))
            self.session.order.lookout.tool(name, arguments, result.text, isolation=walls)
        except InfrastructureError as problem:  # a tool's recorded traffic has diverged
            self.session.note_problem(problem)
            return self._no_reply(problem)
        text = result.text
        if not whole:
            text = shown(result, name, tool_characters=self._settings.tool_characters)
        self.session.note(tool_event(name, arguments, result, shown=text, watch=watch))
        return ToolReply(text=text, ok=result.ok)

    def _no_reply(self, problem: InfrastructureError) -> ToolReply:
        """What a race that can't go on gives its agent; it stands in no trace."""
        error = {"kind": "upstream", "message": self._told(problem)}
        return ToolReply(text=json.dumps({"error": error}), ok=False)

    def _without_keys(self, result: ToolResult) -> ToolResult:
        """A service that repeats its key tells it neither the agent nor the agent's model."""
        return replace(result, text=self._keys.redact(result.text))

    def note_bad_call(self, name: str, message: str) -> None:
        """A call whose arguments could not even be read is a call too: it counts as an invalid one."""
        self.session.note(
            ToolCall(name=name, arguments={}, ok=False, text=message, error_kind="bad_arguments")
        )

    def note_fault(self, error: Exception) -> InfrastructureError:
        """A fault of the gateway's own: the race could not be run, which is no loss of the agent's."""
        lines = "".join(traceback.format_exception(error)).splitlines()[-_LAST_LINES:]
        problem = InfrastructureError("the gateway failed:\n" + "\n".join(lines))
        self.session.note_problem(problem)
        return problem

    async def call_model(
        self, protocol: WireProtocol, body: Mapping[str, Any], *, headers: Mapping[str, str]
    ) -> Response:
        """Pass the call upstream, count it, write the trace; refuse at the limit and after a problem."""
        if not self.session.is_aside(protocol.name):
            self._author = protocol
        refusal = self._refusal(protocol, body)
        if refusal is not None:
            return _refuse(refusal)
        assert self._model is not None  # _refusal answers when there is none
        call_ = PassedCall(self.session, protocol, {**body, "model": self._model.name})
        is_served = any(call.status == HTTPStatus.OK for call in self.session.trace().model_calls)
        try:
            sent = self._model.send(protocol, body, self.session, headers=headers)
            reply = await self._made(call_, sent)
            if not is_served:
                _check_first(reply, protocol, self._model)
        except RecordedTimeout as end:
            return _refuse(protocol.refusal(str(end), code=_TIME_UP))
        except InfrastructureError as problem:
            self.session.note_model_problem(problem, protocol.name)
            return _refuse(protocol.refusal(self._told(problem), code="aar_infrastructure"))
        return reply

    async def _made(self, call_: PassedCall, sent: Awaitable[httpx.Response]) -> Response:
        try:
            return await call_.made(sent)
        except RecordedTimeout:
            self.session.used_up = "timeout"
            raise

    def _told(self, problem: InfrastructureError) -> str:
        """What the agent hears of it: where recordings lie is not its business, and would look like a find."""
        return str(problem).replace(f"{self._settings.cassettes}/", "")

    async def _write_code(self, description: str, model: str | None, extra: str | None) -> str:
        """What the tool python_generate_code asks of the run's model; such a call is no step."""
        assert self._model is not None  # the services know no write_code without a model
        if self._model.scripted:
            raise ToolFailure("denied", _NO_AUTHOR)
        self._check_budget(model or self._model.name)
        protocol = self._author
        wish = f"{description}\n\n{extra}" if extra else description
        body = {"model": model or self._model.name, **protocol.question(_CODE_ONLY, wish)}
        call_ = PassedCall(self.session, protocol, body, is_step=False)
        sent = self._model.send(protocol, body, self.session, model=model)
        try:
            reply = await self._made(call_, sent)
        except RecordedTimeout as end:
            raise ToolFailure("denied", str(end)) from end
        return _code_in(reply, protocol)

    def _check_budget(self, model: str) -> None:
        """Calls of tools count, too; the race goes on until the agent's own next call is refused."""
        if self.session.is_over or self.session.used_up == "timeout":
            raise ToolFailure("denied", "the race is over")
        used_up = self.session.budget_used_up()
        if used_up is not None:
            raise ToolFailure("denied", used_up)
        settings = self._settings
        is_bounded = settings.max_cost is not None or settings.max_race_cost is not None
        if is_bounded and self.session.prices.of(model) is None:
            raise ToolFailure(
                "denied",
                f"the cost of this run is limited and no price of model {model!r} is known: leave `model` out",
            )

    def _refusal(self, protocol: WireProtocol, body: Mapping[str, Any]) -> Refusal | None:
        session = self.session
        if self._model is None:
            session.note_problem(
                ModelUnavailable(
                    "the agent asked for a model and the run has none: choose one with --aar-model NAME "
                    "(and --aar-base-url URL for a server of your own), or --aar-model pacer for a dry run",
                    final=True,
                )
            )
        if session.is_over:
            return protocol.refusal("the race is over", code="aar_over")
        if session.used_up == "timeout":
            return protocol.refusal("the race is over", code=_TIME_UP)
        if session.problem is not None:
            return protocol.refusal(self._told(session.problem), code="aar_infrastructure")
        used_up = session.budget_used_up()
        if used_up is not None:
            return protocol.refusal(f"{used_up}: the race is over", code="aar_budget")
        if protocol.counts_as_step(body) and not session.take_step():
            limit = session.order.step_limit
            return protocol.refusal(
                f"the step budget of {limit} model calls is used up: the race is over",
                code="aar_step_limit",
            )
        return None


def _lacking(services: Services, tool: str) -> Mapping[str, list[str]]:
    endpoints = services.endpoints
    return without_key((tool,), services.keys, endpoints.own) if endpoints.needs_keys else {}


def _check_first(reply: Response, protocol: WireProtocol, model: ModelRoute) -> None:
    """What a race's first call is refused for is in every call of the run: it says nothing of the agent."""
    if reply.status_code not in _WRONG_REQUEST:
        return
    prepared = protocol.prepare({}, model=model.name, options=model.options)
    sent = Secrets.of(options={"--aar-model-option": _texts(model.options)}).censor(
        json.dumps(prepared)
    )
    raise ModelUnavailable(
        f"the model server answered {reply.status_code} to the race's first call: {_short(reply)}. "
        f"Each call is sent with {sent}: change that with --aar-model-option NAME=VALUE "
        "(temperature=1, say) or --aar-model; or the agent's own request is wrong",
        final=True,
    )


def _code_in(reply: Response, protocol: WireProtocol) -> str:
    if reply.status_code != HTTPStatus.OK:
        raise ToolFailure(
            "upstream", f"the model server answered {reply.status_code}: {_short(reply)}"
        )
    code = protocol.text_of(json_mapping(bytes(reply.body)) or {})
    if not code or code.isspace():
        raise ToolFailure("upstream", f"the model answered no code: {_short(reply)}")
    return code


def _short(reply: Response) -> str:
    return excerpt(bytes(reply.body).decode(errors="replace"), 300)


def _texts(options: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in options.items()
    }


def _refuse(refusal: Refusal) -> Response:
    return EscapedJson(
        dict(refusal.body), status_code=refusal.status, headers=dict(refusal.headers)
    )
