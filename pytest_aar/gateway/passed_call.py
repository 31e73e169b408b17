"""One model call on its way back to the agent: passed on, counted, written into the trace."""

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx
from starlette.responses import Response, StreamingResponse

from pytest_aar.errors import InfrastructureError, ModelUnavailable
from pytest_aar.secrets import excerpt
from pytest_aar.trace import ModelCall

from .protocols import Usage, WireProtocol
from .replies import json_mapping
from .retries import EVENT_STREAM
from .session import RaceSession, Stopwatch, Traffic
from .stalls import unstalled

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
        self._is_noted = False
        self._recorded_seconds: float | None = None
        self._replayed = False
        self._received = 0
        self._watch = Stopwatch()

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
        if reply.is_success and not _is_json(content):
            raise _no_json(reply, content)
        self._received = len(content)
        self._session.order.lookout.replied(content)
        self.note(status=reply.status_code, usage=self._usage(content))
        return Response(content, status_code=reply.status_code, headers=headers)

    async def _stream(self, reply: httpx.Response) -> AsyncIterator[bytes]:
        tap, status = self._protocol.tap(self._body), reply.status_code
        seen: list[bytes] = []
        try:
            async for chunk in unstalled(reply.aiter_bytes()):
                self._received += len(chunk)
                seen.append(chunk)
                if passed := tap.feed(chunk):
                    yield passed
            if rest := tap.end():
                yield rest
            if tap.fault:
                raise ModelUnavailable(f"the model server answered 200 and then {tap.fault}")
        except InfrastructureError as problem:
            status = 0
            self._session.note_problem(problem)
        except httpx.RequestError as error:
            status = 0
            self._session.note_problem(_broken_off(reply, error))
        finally:
            self._session.order.lookout.replied(b"".join(seen), streamed=True)
            await reply.aclose()
            self.note(status=status, usage=tap.usage)

    def _usage(self, content: bytes) -> Usage:
        return self._protocol.usage(json_mapping(content))

    def note(self, *, status: int, usage: Usage) -> None:
        """Write the call into the trace, once; `status` 0 means that there was no whole reply."""
        if self._is_noted:
            return
        self._is_noted = True
        self._session.note_call(
            ModelCall(
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
            ),
            Traffic(sent=self._sent(usage), received=self._received, replayed=self._replayed),
        )

    def _sent(self, usage: Usage) -> int:
        """Bytes of the request, where the reply does not tell its tokens."""
        return len(json.dumps(self._body)) if usage.input_tokens is None else 0


def _is_json(content: bytes) -> bool:
    try:
        json.loads(content)
    except RecursionError:
        return True  # deep JSON, and the model's own
    except ValueError:
        return False
    return True


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
