"""Calling tools in tests: fake services answered by a handler, the result as Python values."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import httpx

from pytest_aar.tools import SANDBOX, Services, ToolResult, TransportDecides, call

Handler = Callable[[httpx.Request], httpx.Response]


def ask(name: str, arguments: Any, handler: Handler | None = None, **options: Any) -> ToolResult:
    """The result of one call; `handler` answers every request, without it a request fails the test."""

    async def run() -> ToolResult:
        transport = httpx.MockTransport(handler or unexpected)
        async with httpx.AsyncClient(transport=transport, trust_env=False) as client:
            settings = {"endpoints": SANDBOX, "guard": TransportDecides(), **options}
            return await call(name, arguments, Services(http=client, **settings))

    return asyncio.run(run())


def unexpected(request: httpx.Request) -> httpx.Response:
    raise AssertionError(f"no request was expected, got {request.method} {request.url}")


def value(result: ToolResult) -> Any:
    assert result.ok, result.text
    return json.loads(result.text)


def failure(result: ToolResult) -> tuple[str, str]:
    """Kind and message of an error result, which carries the kind twice."""
    assert not result.ok, result.text
    problem = json.loads(result.text)["error"]
    assert problem["kind"] == result.error_kind
    return problem["kind"], problem["message"]


def reply(body: Any, status: int = 200) -> Handler:
    return lambda _: httpx.Response(status, json=body)


class Recorder:
    """A handler that remembers the requests it answered."""

    def __init__(self, *bodies: Any) -> None:
        self.bodies = list(bodies)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        body = self.bodies.pop(0) if len(self.bodies) > 1 else self.bodies[0]
        return body if isinstance(body, httpx.Response) else httpx.Response(200, json=body)

    def params(self) -> Mapping[str, str]:
        return dict(self.requests[-1].url.params)

    def body(self) -> Any:
        return json.loads(self.requests[-1].content)
