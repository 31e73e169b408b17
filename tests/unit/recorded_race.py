"""Records and replays small conversations; used by the tests of cassettes."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx

from pytest_aar.cassettes import ENDPOINT, Metadata, Tape, TapeOptions, TapeTransport, open_tape
from pytest_aar.secrets import Secrets

CHAT = "openai/v1/chat/completions"
NO_SECRETS = Secrets()
MODEL = TapeOptions(secrets=NO_SECRETS)
TOOLS = TapeOptions(kind="tools", secrets=NO_SECRETS)

Handler = Callable[[httpx.Request], httpx.Response]


def refuse(request: httpx.Request) -> httpx.Response:
    raise AssertionError(f"replay went to the network: {request.url}")


def counting() -> Handler:
    """Answers 1, 2, 3, ... whatever is asked."""
    count = iter(range(1, 1000))
    return lambda request: httpx.Response(200, json={"answer": next(count)})


def conversation(*contents: str, **fields: Any) -> dict[str, Any]:
    roles = ["system"] + ["user", "assistant"] * len(contents)
    messages = [
        {"role": role, "content": text} for role, text in zip(roles, contents, strict=False)
    ]
    return {"model": "m", "messages": messages, **fields}


def three_calls() -> list[dict[str, Any]]:
    return [
        conversation("be quick"),
        conversation("be quick", "where is Oslo?"),
        conversation("be quick", "where is Oslo?", "in Norway", "how high?"),
    ]


async def ask(
    client: httpx.AsyncClient, body: dict[str, Any], *, host: str = "https://api.test"
) -> httpx.Response:
    return await client.post(f"{host}/v1/chat/completions", json=body, extensions={ENDPOINT: CHAT})


def ask_all(
    tape: Tape | None,
    handler: Handler,
    bodies: Sequence[dict[str, Any]],
    *,
    host: str = "https://api.test",
) -> list[httpx.Response]:
    async def run() -> list[httpx.Response]:
        transport = TapeTransport(httpx.MockTransport(handler), tape=tape)
        async with httpx.AsyncClient(transport=transport) as client:
            return [await ask(client, body, host=host) for body in bodies]

    return asyncio.run(run())


def get_all(tape: Tape | None, handler: Handler, urls: Sequence[str]) -> list[httpx.Response]:
    async def run() -> list[httpx.Response]:
        transport = TapeTransport(httpx.MockTransport(handler), tape=tape)
        async with httpx.AsyncClient(transport=transport) as client:
            return [await client.get(url) for url in urls]

    return asyncio.run(run())


def record(
    path: Path,
    bodies: Sequence[dict[str, Any]],
    handler: Handler | None = None,
    *,
    metadata: Metadata | None = None,
    options: TapeOptions = MODEL,
) -> list[httpx.Response]:
    tape = open_tape(path, mode="all", metadata=metadata, options=options)
    try:
        answers = ask_all(tape, handler or counting(), bodies)
        tape.save()
    finally:
        tape.close()
    return answers


def record_tools(path: Path, urls: Sequence[str], handler: Handler | None = None) -> None:
    tape = open_tape(path, mode="extend", options=TOOLS)
    get_all(tape, handler or counting(), urls)
    tape.save()
    tape.close()


#: How often one process of several adds to the tools' cassette.
ROUNDS = 8


def record_rounds(path: Path, owner: str) -> None:
    """Open, extend and save the tools' cassette again and again, each time with one more request."""
    options = TapeOptions(kind="tools", owner=owner, secrets=NO_SECRETS)
    for number in range(ROUNDS):
        tape = open_tape(path, mode="extend", options=options)
        get_all(tape, counting(), [f"https://w.test/{owner}/{number}"])
        tape.save()
        tape.close()
