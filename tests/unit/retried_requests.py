"""Requests to a model server whose network answers in turn."""

import asyncio
from collections.abc import Callable

import httpx

from pytest_aar.gateway.retries import OWN_CHOICE, ModelServer

GOOD = httpx.Response(200, json={"ok": True})


class Network:
    """Answers in turn; counts the attempts; raises what is an exception."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers, self.seen = answers, list[httpx.Request]()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.seen.append(request)
        answer = self.answers[min(len(self.seen), len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)


def ask(
    network: Callable[[httpx.Request], httpx.Response],
    *,
    wait: float | None = 0.0,
    environment: dict[str, str] | None = None,
    own_choice: bool = False,
    race: object = None,
) -> httpx.Response:
    server = ModelServer(
        environment=environment or {},
        network=httpx.MockTransport(network),
        fixed_wait=wait,
    )
    request = httpx.Request(
        "POST",
        "https://model.test/v1/chat/completions",
        content=b"{}",
        extensions={OWN_CHOICE: own_choice, "aar_race": race},
    )
    return asyncio.run(server.handle_async_request(request))
