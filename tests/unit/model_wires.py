"""Requests, replies and streams of Responses and Messages, and an upstream that gives them: for several tests."""

import json
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

import httpx

RESPONSES = "openai/v1/responses"
MESSAGES = "anthropic/v1/messages"
PATHS = (RESPONSES, MESSAGES)
SSE = {"content-type": "text/event-stream"}

ASKED: Mapping[str, dict[str, Any]] = {
    RESPONSES: {
        "model": "agents-own",
        "input": [{"type": "message", "role": "user", "content": "hi"}],
        "store": False,
    },
    MESSAGES: {
        "model": "agents-own",
        "messages": [{"role": "user", "content": "hi"}],
        "max_tokens": 100,
    },
}
USAGE: Mapping[str, dict[str, Any]] = {
    RESPONSES: {
        "input_tokens": 11,
        "input_tokens_details": {"cached_tokens": 4},
        "output_tokens": 3,
    },
    MESSAGES: {
        "input_tokens": 5,
        "cache_creation_input_tokens": 2,
        "cache_read_input_tokens": 4,
        "output_tokens": 3,
    },
}
REPLIES: Mapping[str, dict[str, Any]] = {
    RESPONSES: {
        "id": "resp_1",
        "status": "completed",
        "output": [
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "7"}],
            }
        ],
        "usage": USAGE[RESPONSES],
    },
    MESSAGES: {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text", "text": "7"}],
        "stop_reason": "end_turn",
        "usage": USAGE[MESSAGES],
    },
}


def sse(events: Iterable[Mapping[str, Any]]) -> list[bytes]:
    """Each event as the bytes of one chunk."""
    return [f"event: {each['type']}\ndata: {json.dumps(each)}\n\n".encode() for each in events]


#: Whole streams: an event that says nothing yet, one that says something, and the end.
STREAMS: Mapping[str, list[bytes]] = {
    RESPONSES: sse(
        [
            {"type": "response.created", "response": {"id": "resp_1"}},
            {"type": "response.output_item.done", "item": REPLIES[RESPONSES]["output"][0]},
            {"type": "response.completed", "response": REPLIES[RESPONSES]},
        ]
    ),
    MESSAGES: sse(
        [
            {
                "type": "message_start",
                "message": {
                    **REPLIES[MESSAGES],
                    "content": [],
                    "usage": {**USAGE[MESSAGES], "output_tokens": 1},
                },
            },
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "text", "text": "7"},
            },
            {
                "type": "message_delta",
                "delta": {"stop_reason": "end_turn"},
                "usage": {"output_tokens": 3},
            },
            {"type": "message_stop"},
        ]
    ),
}


def error_event(path: str, kind: str) -> bytes:
    """An error in the midst of a stream."""
    if path == MESSAGES:
        event: dict[str, Any] = {
            "type": "error",
            "error": {"type": kind, "message": "said the server"},
        }
    else:
        failed = {
            "id": "resp_1",
            "status": "failed",
            "error": {"code": kind, "message": "said the server"},
        }
        event = {"type": "response.failed", "response": failed}
    return sse([event])[0]


class Chunks(httpx.AsyncByteStream):
    """A body in chunks; an exception among them is raised."""

    def __init__(self, *chunks: bytes | Exception) -> None:
        self._chunks = chunks
        self.closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            if isinstance(chunk, Exception):
                raise chunk
            yield chunk

    async def aclose(self) -> None:
        self.closed = True


class Upstream(httpx.AsyncBaseTransport):
    """Gives the answers in turn, the last one again and again; keeps requests and bodies."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self._answers = list(answers)
        self.requests: list[httpx.Request] = []
        self.bodies: list[dict[str, Any]] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        self.bodies.append(json.loads(await request.aread()))
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def plain(path: str) -> httpx.Response:
    """A complete reply."""
    return httpx.Response(200, json=REPLIES[path])


def streamed(*chunks: bytes | Exception) -> httpx.Response:
    """A streamed reply."""
    return httpx.Response(200, headers=SSE, stream=Chunks(*chunks))
