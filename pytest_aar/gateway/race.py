"""What the routes do for one race: tools, models, task."""

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx
from starlette.responses import JSONResponse, Response, StreamingResponse

from pytest_aar.errors import InfrastructureError, ModelUnavailable
from pytest_aar.settings import Settings
from pytest_aar.tools import call, schema, shown, tool_named
from pytest_aar.trace import ModelCall

from .protocols import Refusal, Usage, WireProtocol
from .session import RaceSession, Stopwatch, tool_event
from .upstream import ModelRoute

#: Headers of a model's reply that the agent gets; all others speak of the connection to the real host.
_PASSED_HEADERS = ("content-type", "retry-after", "x-should-retry")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReply:
    """What the agent gets of a tool's result."""

    text: str
    ok: bool


class OpenRace:
    """A session with its tools and its model bound."""

    def __init__(
        self, session: RaceSession, *, services: Any, model: ModelRoute | None, settings: Settings
    ) -> None:
        self.session = session
        self._services = services
        self._model = model
        self._settings = settings

    def models(self) -> tuple[str, ...]:
        """Names of the models on offer: the run's one, or none."""
        return (self._model.name,) if self._model else ()

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

    async def call_tool(self, name: str, arguments: Mapping[str, Any]) -> ToolReply:
        """Run the tool, write the trace, cut the text."""
        watch = Stopwatch()
        try:
            result = await call(name, arguments, self._services)
        except InfrastructureError as problem:  # a tool's recorded traffic has diverged
            self.session.note_problem(problem)
            return ToolReply(
                text=json.dumps({"error": {"kind": "upstream", "message": str(problem)}}), ok=False
            )
        text = shown(result, name, tool_characters=self._settings.tool_characters)
        self.session.note(tool_event(name, arguments, result, shown=text, watch=watch))
        return ToolReply(text=text, ok=result.ok)

    async def call_model(self, protocol: WireProtocol, body: Mapping[str, Any]) -> Response:
        """Pass the call upstream, count it, write the trace; refuse at the limit and after a problem."""
        refusal = self._refusal(protocol, body)
        if refusal is not None:
            return _refuse(refusal)
        call_ = _Call(self.session, protocol, body)
        assert self._model is not None  # _refusal answers when there is none
        try:
            reply = await self._model.send(protocol, body, self.session)
            return await call_.pass_on(reply)
        except InfrastructureError as problem:
            call_.note(status=0, usage=Usage())
            self.session.note_problem(problem)
            return _refuse(protocol.refusal(str(problem), code="aar_infrastructure"))

    def _refusal(self, protocol: WireProtocol, body: Mapping[str, Any]) -> Refusal | None:
        session = self.session
        if self._model is None:
            session.note_problem(
                ModelUnavailable(
                    "the agent asked for a model and the run has none: choose one with --aar-model NAME "
                    "(and --aar-base-url URL for a server of your own), or --aar-model pacer for a dry run"
                )
            )
        if session.problem is not None:
            return protocol.refusal(str(session.problem), code="aar_infrastructure")
        if protocol.counts_as_step(body) and not session.take_step():
            limit = session.order.step_limit
            return protocol.refusal(
                f"the step budget of {limit} model calls is used up: the race is over",
                code="aar_step_limit",
            )
        return None


class _Call:
    """One model call on its way back to the agent."""

    def __init__(
        self, session: RaceSession, protocol: WireProtocol, body: Mapping[str, Any]
    ) -> None:
        self._session, self._protocol, self._body = session, protocol, body
        self._watch = Stopwatch()

    async def pass_on(self, reply: httpx.Response) -> Response:
        headers = {name: reply.headers[name] for name in _PASSED_HEADERS if name in reply.headers}
        if reply.is_success and headers.get("content-type", "").startswith("text/event-stream"):
            return StreamingResponse(
                self._stream(reply), status_code=reply.status_code, headers=headers
            )
        content = await reply.aread()
        await reply.aclose()
        self.note(status=reply.status_code, usage=self._usage(content))
        return Response(content, status_code=reply.status_code, headers=headers)

    async def _stream(self, reply: httpx.Response) -> AsyncIterator[bytes]:
        tap = self._protocol.tap(self._body)
        usage = Usage()
        try:
            async for chunk in reply.aiter_bytes():
                if passed := tap.feed(chunk):
                    yield passed
            rest, usage = tap.end()
            if rest:
                yield rest
        except InfrastructureError as problem:
            self._session.note_problem(problem)
        finally:
            await reply.aclose()
            self.note(status=reply.status_code, usage=usage)

    def _usage(self, content: bytes) -> Usage:
        try:
            reply = json.loads(content)
        except ValueError:
            return Usage()
        return self._protocol.usage(reply) if isinstance(reply, Mapping) else Usage()

    def note(self, *, status: int, usage: Usage) -> None:
        self._session.note(
            ModelCall(
                protocol=self._protocol.name,
                model=str(self._body.get("model") or ""),
                status=status,
                input_tokens=usage.input_tokens,
                output_tokens=usage.output_tokens,
                cached_tokens=usage.cached_tokens,
                counts_as_step=self._protocol.counts_as_step(self._body),
                **self._watch.times(),
            )
        )


def _refuse(refusal: Refusal) -> Response:
    return JSONResponse(
        dict(refusal.body), status_code=refusal.status, headers=dict(refusal.headers)
    )
