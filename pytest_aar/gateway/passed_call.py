"""One model call on its way back to the agent: passed on, counted, written into the trace."""

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx
from starlette.responses import Response, StreamingResponse

from pytest_aar.errors import InfrastructureError
from pytest_aar.trace import ModelCall

from .protocols import Usage, WireProtocol
from .session import RaceSession, Stopwatch

#: Headers of a model's reply that the agent gets; all others speak of the connection to the real host.
_PASSED_HEADERS = ("content-type", "retry-after", "x-should-retry")


class PassedCall:
    """One model call on its way back to the agent."""

    def __init__(
        self,
        session: RaceSession,
        protocol: WireProtocol,
        body: Mapping[str, Any],
        *,
        is_step: bool | None = None,
    ) -> None:
        """`body` is the agent's, with the run's model; `is_step` None lets the protocol decide."""
        self._session, self._protocol, self._body = session, protocol, body
        self._is_step = protocol.counts_as_step(body) if is_step is None else is_step
        self._watch = Stopwatch()

    async def pass_on(self, reply: httpx.Response) -> Response:
        """The agent's reply: a stream is handed on as it arrives, anything else is read whole."""
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
        """Write the call into the trace; `status` 0 means that there was no reply."""
        self._session.note(
            ModelCall(
                protocol=self._protocol.name,
                model=str(self._body.get("model") or ""),
                status=status,
                input_tokens=usage.input_tokens,
                output_tokens=usage.output_tokens,
                cached_tokens=usage.cached_tokens,
                counts_as_step=self._is_step,
                **self._watch.times(),
            )
        )
