"""The httpx transport that plays from a tape and records onto it."""

import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import httpx

from pytest_aar.cassettes.protocols import protocol_of
from pytest_aar.cassettes.tape import Answer, Tape
from pytest_aar.manners.marks import JUDGED, JUDGED_HEADER

#: Set on a request by the gateway: "openai/v1/chat/completions", ... Such requests match on any
#: host.
ENDPOINT = "aar_endpoint"
#: Set on every response: "replayed", "recorded" or "live"; and how long the recorded answer took.
SOURCE, RECORDED_SECONDS = "aar_source", "aar_recorded_seconds"
#: And the key of its request on the tape.
KEY = "aar_key"

#: Response headers that are stored; any other may hold a cookie, a key or a time.
_STORED_HEADERS = ("content-type", "location", "retry-after", "x-should-retry")


class TapeTransport(httpx.AsyncBaseTransport):
    """Plays from `tape`, records onto it, or (None) passes everything through to `upstream`."""

    def __init__(self, upstream: httpx.AsyncBaseTransport, *, tape: Tape | None = None) -> None:
        self.tape = tape
        self._upstream = upstream

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request.

        Raises:
            ReplayDiverged: the tape replays and does not hold it (also kept in `tape.misses`).
            RecordedTimeout: it replays, and here the time of the recorded race was up.
        """
        tape = self.tape
        if tape is None:
            return await self._upstream.handle_async_request(request)
        endpoint = request.extensions.get(ENDPOINT)
        body = await request.aread()
        asked = tape.ask(request.method, str(request.url), body, endpoint=endpoint)
        answer = tape.play(asked)
        if answer is not None:
            return _replayed(answer, asked.key)
        sequence, started = tape.sent(asked), time.monotonic()
        try:
            response = await self._upstream.handle_async_request(request)
        except BaseException:
            tape.dropped(sequence)
            raise

        def keep(raw: bytes) -> None:
            answer = _answer(response, raw, time.monotonic() - started)
            if answer is not None:
                tape.record(asked, answer, sequence=sequence)

        ends = _Ends(
            keep=keep, drop=lambda: tape.dropped(sequence), are_reached=_ends_with(endpoint)
        )
        return _teed(response, ends, asked.key)

    async def aclose(self) -> None:
        """Close the upstream transport; the tape belongs to whoever opened it."""
        await self._upstream.aclose()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ends:
    """What becomes of a reply: kept when it is whole (`are_reached` tells), or dropped."""

    keep: Callable[[bytes], None]
    drop: Callable[[], None]
    are_reached: Callable[[bytes], bool]


class _Tee(httpx.AsyncByteStream):
    """Hands chunks on as they arrive and keeps the whole only when it came to its end."""

    def __init__(self, stream: httpx.AsyncByteStream, ends: _Ends) -> None:
        self._stream, self._ends = stream, ends
        self._chunks: list[bytes] = []
        self._kept = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            self._chunks.append(chunk)
            yield chunk
        self._keep_once()

    async def aclose(self) -> None:
        # Clients of event streams stop reading at the protocol's last event, before the end of the
        # bytes.
        if not self._kept and self._ends.are_reached(b"".join(self._chunks)):
            self._keep_once()
        self._ends.drop()
        await self._stream.aclose()

    def _keep_once(self) -> None:
        if not self._kept:
            self._kept = True
            self._ends.keep(b"".join(self._chunks))


def _ends_with(endpoint: str | None) -> Callable[[bytes], bool]:
    protocol = protocol_of(endpoint) if endpoint else None
    return protocol.is_complete if protocol else lambda body: False


def _teed(response: httpx.Response, ends: _Ends, key: str) -> httpx.Response:
    stream = response.stream
    if not isinstance(stream, httpx.AsyncByteStream):
        raise TypeError(f"an async transport gave {type(stream).__name__}, not an AsyncByteStream")
    return httpx.Response(
        response.status_code,
        headers=response.headers,
        stream=_Tee(stream, ends),
        extensions={**response.extensions, SOURCE: "recorded", KEY: key},
    )


def _answer(response: httpx.Response, raw: bytes, took: float) -> Answer | None:
    """The answer, its content decoded (a codec may be missing at replay); None if that fails."""
    try:
        content = httpx.Response(
            response.status_code, headers=response.headers, content=raw
        ).content
    except httpx.DecodingError:
        return None  # the client fails on it in the same way
    headers = {name: response.headers[name] for name in _STORED_HEADERS if name in response.headers}
    if JUDGED in response.extensions:
        headers[JUDGED_HEADER] = response.extensions[JUDGED]
    return Answer(status=response.status_code, headers=headers, body=content, took_seconds=took)


def _replayed(answer: Answer, key: str) -> httpx.Response:
    return httpx.Response(
        answer.status,
        headers=dict(answer.headers),
        content=answer.body,
        extensions={SOURCE: "replayed", RECORDED_SECONDS: answer.took_seconds, KEY: key},
    )
