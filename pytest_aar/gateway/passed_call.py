"""One model call on its way back to the agent: passed on, counted, written into the trace."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any

import httpx
from starlette.responses import Response, StreamingResponse

from pytest_aar.errors import InfrastructureError, ModelUnavailable, RecordedTimeout
from pytest_aar.secrets import excerpt
from pytest_aar.trace import ModelCall

from .protocols import StreamTap, Usage, WireProtocol
from .replies import json_mapping
from .retries import EVENT_STREAM
from .session import RaceSession, Stopwatch, Traffic
from .stalls import never_silent

#: Headers of a model's reply that the agent gets; all others speak of the connection to the real host.
_PASSED_HEADERS = ("content-type", "retry-after", "x-should-retry")

#: Set by cassettes.transport, which only taped races load: on each reply where it comes from, on replayed
#: ones how long the recorded one took.
_SOURCE, _RECORDED_SECONDS = "aar_source", "aar_recorded_seconds"

#: Bytes of a reply that is no JSON that the error quotes.
_QUOTED = 200


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
        self._recorded_seconds: float | None = None
        self._replayed = False
        self._received = 0
        self._tap: StreamTap | None = None
        self._watch = Stopwatch()
        #: Since when the model has been silent; None while the client is at its turn.
        self._silent_since: float | None = time.monotonic()
        session.calls.begin(self)

    async def made(self, sent: Awaitable[httpx.Response]) -> Response:
        """Wait for the model's reply and pass it on; the call stands in the trace however it ends.

        Raises:
            InfrastructureError: there is no reply, or none that can be passed on.
            RecordedTimeout: a replay, and its recorded race came to its end here.
        """
        try:
            return await self.pass_on(await self._reply(sent))
        except (InfrastructureError, RecordedTimeout):
            self.note(status=0, usage=Usage(), sent=0 if self._received == 0 else None)
            raise
        except asyncio.CancelledError:
            self.cut()
            raise

    async def _reply(self, sent: Awaitable[httpx.Response]) -> httpx.Response:
        try:
            return await sent
        except InfrastructureError:  # no model got it
            self.note(status=0, usage=Usage(input_tokens=0, output_tokens=0))
            raise

    async def pass_on(self, reply: httpx.Response) -> Response:
        """The agent's reply: a stream is handed on as it arrives, anything else is read whole.

        Raises:
            ModelUnavailable: the body broke off, or a success is no JSON at all. A stream that breaks off
                is noted as the race's problem instead.
        """
        self._recorded_seconds = reply.extensions.get(_RECORDED_SECONDS)
        self._replayed = reply.extensions.get(_SOURCE) == "replayed"
        headers = {name: reply.headers[name] for name in _PASSED_HEADERS if name in reply.headers}
        if reply.is_success and headers.get("content-type", "").startswith(EVENT_STREAM):
            return StreamingResponse(
                self._stream(reply), status_code=reply.status_code, headers=headers
            )
        try:
            content = await reply.aread()
        except httpx.RequestError as error:
            raise _broken_off(reply, error) from error
        finally:
            await reply.aclose()
        said = json_mapping(content)
        if reply.is_success and said is None:
            raise _no_json(reply, content)
        self._received = len(content)
        self._heard()
        self._session.order.lookout.replied(content)
        self.note(status=reply.status_code, usage=self._protocol.usage(said or {}))
        return Response(content, status_code=reply.status_code, headers=headers)

    async def _stream(self, reply: httpx.Response) -> AsyncIterator[bytes]:
        self._tap = tap = self._protocol.tap(self._body)
        seen: list[bytes] = []
        try:
            async for chunk in never_silent(reply.aiter_bytes()):
                self._heard(chunk)
                seen.append(chunk)
                if passed := tap.feed(chunk):
                    yield passed
                self._silent_since = time.monotonic()
            if rest := tap.end():
                yield rest
            if tap.fault:
                raise ModelUnavailable(f"the model server answered 200 and then {tap.fault}")
            self.note(status=reply.status_code, usage=tap.usage)
        except InfrastructureError as problem:
            self._fail(problem)
        except httpx.RequestError as error:
            self._fail(_broken_off(reply, error))
        finally:
            # First of all: whoever closes the race does not wait until the server's connection is closed.
            self.cut()
            self._session.order.lookout.replied(b"".join(seen), streamed=True)
            await reply.aclose()

    def _heard(self, chunk: bytes = b"") -> None:
        self._received += len(chunk)
        self._session.calls.heard(self._silence())
        self._silent_since = None

    def _silence(self) -> float:
        return 0.0 if self._silent_since is None else time.monotonic() - self._silent_since

    def _fail(self, problem: InfrastructureError) -> None:
        self._session.note_model_problem(problem, self._protocol.name)
        self.note(status=0, usage=self._partial())

    def _partial(self) -> Usage:
        """Of a stream that was cut: what it says of its output at the beginning is not what it came to."""
        return Usage() if self._tap is None else replace(self._tap.usage, output_tokens=None)

    def cut(self) -> None:
        """Write the call into the trace as it stands, if it is not there: its client or its race is gone."""
        if self._tap is not None and self._tap.is_whole:
            self.note(status=HTTPStatus.OK, usage=self._tap.usage)
        elif self.note(status=0, usage=self._partial()):
            self._session.calls.unheard(self._silence())

    def note(self, *, status: int, usage: Usage, sent: int | None = None) -> bool:
        """Write the call into the trace, once; `status` 0 means that there was no whole reply.

        `sent` are the bytes that the model got; without it all, where the reply does not tell its tokens.
        """
        if not self._session.calls.end(self):
            return False
        call = ModelCall(
            protocol=self._protocol.name,
            model=str(self._body.get("model") or ""),
            status=status,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cached_tokens=usage.cached_tokens,
            cache_write_tokens=usage.cache_write_tokens,
            counts_as_step=self._is_step,
            recorded_seconds=self._recorded_seconds,
            **self._watch.times(),
        )
        sent = self._sent(usage) if sent is None else sent
        self._session.note_call(
            call, Traffic(sent=sent, received=self._received, replayed=self._replayed)
        )
        return True

    def _sent(self, usage: Usage) -> int:
        """Bytes of the request, where the reply does not tell its tokens."""
        return len(json.dumps(self._body)) if usage.input_tokens is None else 0


def _no_json(reply: httpx.Response, content: bytes) -> ModelUnavailable:
    """A proxy's sign-in page, a web site: no model spoke, so no agent lost."""
    kind = reply.headers.get("content-type", "no content type")
    start = excerpt(content.decode("utf-8", "replace"), _QUOTED) or "an empty body"
    return ModelUnavailable(
        f"the model server answered {reply.status_code} with {kind} that is no JSON: {start}; "
        "check --aar-base-url (it ends in /v1 at most servers)"
    )


def _broken_off(reply: httpx.Response, error: httpx.RequestError) -> ModelUnavailable:
    return ModelUnavailable(
        f"the model server answered {reply.status_code} and its reply broke off "
        f"({type(error).__name__}: {error}); try later, or check --aar-base-url"
    )
