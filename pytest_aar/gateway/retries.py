"""A real model server: adds the key, retries what may pass, says what will not."""

from collections.abc import Mapping

import httpx

from pytest_aar.errors import ModelUnavailable
from pytest_aar.retry_after import asked_wait
from pytest_aar.secrets import Secrets, excerpt

from .failures import is_code_of_account, server_error
from .openings import OpenedStream
from .protocols import PROTOCOLS, ChatCompletions, Vendor, WireProtocol
from .protocols.wire import StreamFailure

ATTEMPTS = 6
#: Seconds: the longest wait that a server may ask for.
LONGEST_WAIT = 60.0

#: What may pass by itself, besides every status from 500 on.
_RETRIED = frozenset({408, 409, 425, 429})
#: Refusals of what the request holds (a context that is too long, say): the agent's to hear.
_REFUSED_REQUEST = frozenset({400, 413, 422})
#: Request extension: the wire protocol, chat completions without it.
PROTOCOL = "aar_protocol"
#: Request extension: the agent chose the model itself. That there is none is an answer then, not an outage.
OWN_CHOICE = "aar_own_choice"
_QUOTA = "The account's quota is used up: a retry would not help."
_NO_SUCH_MODEL = frozenset({403, 404})
EVENT_STREAM = "text/event-stream"
_NETWORK = (httpx.TransportError,)


class _Attempt(Exception):
    """One failed attempt that may be repeated: why, and how long the server asks to wait."""

    def __init__(self, why: str, *, wait: float | None) -> None:
        self.why, self.wait = why, wait
        super().__init__(why)


class ModelServer(httpx.AsyncBaseTransport):
    """The transport below the tape. The network transport is made at the first call: it loads certificates."""

    def __init__(
        self,
        *,
        environment: Mapping[str, str],
        network: httpx.AsyncBaseTransport | None = None,
        fixed_wait: float | None = None,
    ) -> None:
        """`fixed_wait` (seconds) replaces every wait between attempts."""
        self._environment, self._network = environment, network
        self._fixed_wait = fixed_wait

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The reply to the first attempt that is not worth a retry.

        Raises:
            ModelUnavailable: all attempts failed, or the server said no for good.
        """
        import stamina  # noqa: PLC0415 - 30 ms that replays and the scripted stand-in never need

        self._add_key(request)
        # httpx adds these itself only where it is given the content, not a stream.
        request.headers["host"] = request.url.netloc.decode("ascii")
        request.headers["content-length"] = str(len(await request.aread()))
        tries = 0
        try:
            async for attempt in stamina.retry_context(
                on=self._pause, attempts=ATTEMPTS, timeout=None
            ):
                with attempt:
                    tries += 1
                    return await self._tried(request)
        except _Attempt as failed:
            raise ModelUnavailable(
                f"model server {request.url.host}: {failed.why} after {tries} attempts; "
                "try later, or check --aar-base-url"
            ) from failed
        raise AssertionError("retry_context ends with a reply or an error")

    async def aclose(self) -> None:
        """Close the network transport."""
        if self._network is not None:
            await self._network.aclose()

    def _pause(self, error: Exception) -> bool | float:
        """What stamina does after an error: False gives up, a number is the wait in seconds."""
        if not isinstance(error, _Attempt):
            return False
        if self._fixed_wait is not None:
            return self._fixed_wait
        return True if error.wait is None else min(error.wait, LONGEST_WAIT)

    async def _tried(self, request: httpx.Request) -> httpx.Response:
        """One attempt; the race knows meanwhile that it waits for a server that fails."""
        race = request.extensions.get("aar_race")
        try:
            reply = await self._once(request)
        except _Attempt as failed:
            if race is not None:
                race.waits_for = f"model server {request.url.host}: {failed.why}"
            raise
        if race is not None:
            race.waits_for = None
        return reply

    async def _once(self, request: httpx.Request) -> httpx.Response:
        if self._network is None:
            self._network = httpx.AsyncHTTPTransport()
        try:
            reply = await self._network.handle_async_request(request)
            reply = await _whole_unless_streamed(reply, _protocol_of(request))
            if reply.is_success:
                return reply
            await reply.aread()
        except _NETWORK as error:
            raise _Attempt(f"{type(error).__name__} {error}".strip(), wait=None) from error
        if _is_the_agents(reply, request):
            return reply
        raise _failure(reply, request, Secrets.of(self._environment))

    def _add_key(self, request: httpx.Request) -> None:
        vendor = _protocol_of(request).vendor
        key = vendor.key_from(self._environment)
        if not key and request.url.host == vendor.key_host:
            raise ModelUnavailable(
                f"{request.url.host} needs a key and none is set: put it in the environment variable "
                f"{' or '.join(vendor.key_variables)}, or choose another server with --aar-base-url",
                final=True,
            )
        request.headers.update(key)


def _protocol_of(request: httpx.Request) -> WireProtocol:
    protocol: WireProtocol | None = request.extensions.get(PROTOCOL)
    return protocol or PROTOCOLS[ChatCompletions.path]


async def _whole_unless_streamed(reply: httpx.Response, protocol: WireProtocol) -> httpx.Response:
    """The reply with its body at hand, so that a body that breaks off is a failed attempt like any other.

    A stream is handed on as it comes, once it says something: what the agent has seen of it can't be
    taken back.
    """
    assert isinstance(reply.stream, httpx.AsyncByteStream)  # what async transports give
    if reply.is_success and reply.headers.get("content-type", "").startswith(EVENT_STREAM):
        return await _opened(reply, reply.stream, protocol)
    raw = b"".join([chunk async for chunk in reply.stream])
    await reply.aclose()
    return httpx.Response(
        reply.status_code,
        headers=reply.headers,
        stream=httpx.ByteStream(raw),
        extensions=reply.extensions,
    )


async def _opened(
    reply: httpx.Response, stream: httpx.AsyncByteStream, protocol: WireProtocol
) -> httpx.Response:
    if not protocol.prelude or "content-encoding" in reply.headers:
        return reply
    opened = OpenedStream(stream)
    try:
        failure = await opened.failure(protocol)
    except BaseException:
        await opened.aclose()
        raise
    if failure is not None:
        await opened.aclose()
        raise _stream_failure(failure)
    return httpx.Response(
        reply.status_code, headers=reply.headers, stream=opened, extensions=reply.extensions
    )


def _stream_failure(failure: StreamFailure) -> Exception:
    told = f"answered with an error event: {failure.message}"
    if is_code_of_account(failure.code):
        return ModelUnavailable(f"the model server {told}. {_QUOTA}", final=True)
    return _Attempt(told, wait=None)


def _is_the_agents(reply: httpx.Response, request: httpx.Request) -> bool:
    """Whether a refusal is the agent's to hear; any other is a fault of the server or the account."""
    if reply.status_code in _NO_SUCH_MODEL and request.extensions.get(OWN_CHOICE):
        return True
    return reply.status_code in _REFUSED_REQUEST and not _is_of_account(reply)


def _failure(reply: httpx.Response, request: httpx.Request, secrets: Secrets) -> Exception:
    """What a reply that is no answer comes to: a failed attempt, or the end of all attempts."""
    status = reply.status_code
    text = excerpt(reply.text, 300, secrets)
    may_pass = status in _RETRIED or reply.is_server_error
    if not may_pass or _is_of_account(reply):
        return ModelUnavailable(
            f"model server {request.url.host} answered {status}: {text}. "
            + _advice(reply, _protocol_of(request).vendor),
            final=True,
        )
    return _Attempt(
        f"answered {status}: {text}", wait=asked_wait(reply.headers.get("retry-after", ""))
    )


def _is_of_account(reply: httpx.Response) -> bool:
    return server_error(reply.text).is_of_account(reply.status_code)


def _advice(reply: httpx.Response, vendor: Vendor) -> str:
    if _is_of_account(reply):
        return _QUOTA
    return {
        401: f"Set the key in the environment ({' or '.join(vendor.key_variables)}).",
        403: "The key does not open this model: check it, or choose another --aar-model.",
        404: f"No such model or path: check --aar-model and --aar-base-url ({vendor.base_hint}).",
    }.get(
        reply.status_code,
        "That is no model server's reply: check --aar-base-url (https, and /v1 at its end).",
    )
