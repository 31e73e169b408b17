"""Replay CPU and disk of one race (60 interactions, 9 MB): ours against plain vcrpy YAML.

Run: `python benchmarks/replay.py`. Both are recorded and replayed in this process, from the same
synthetic race: 20 page fetches of 20-400 kB, 12 small JSON answers, 28 model calls whose
conversation grows from 18 to 370 kB. CPU is process time, best of five, loading the cassette
included; bodies are encoded beforehand (that is the agent's work, the same for all rows).
"""

import asyncio
import json
import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import vcr
from tabulate import tabulate

from pytest_aar.cassettes import ENDPOINT, Metadata, RaceFiles, RaceTapes, TapeTransport, tapes_for

ROUNDS = 5
CHAT = "openai/v1/chat/completions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    method: str
    url: str
    body: bytes
    answer: bytes
    kind: str


def words(random_: random.Random, size: int) -> str:
    """Prose that packs about as well as a page of Wikipedia (4.5:1)."""
    stock = [
        bytes(random_.choices(b"abcdefghijklmnopqrstuvwxyz", k=random_.randint(2, 9))).decode()
        for _ in range(400)
    ]
    sentences = [" ".join(random_.choices(stock, k=9)) + ". " for _ in range(300)]
    text = []
    length = 0
    while length < size:
        text.append(
            random_.choice(sentences)
            if random_.random() < 0.6
            else " ".join(random_.choices(stock, k=8)) + ". "
        )
        length += len(text[-1])
    return "".join(text)[:size]


def race() -> list[Exchange]:
    random_ = random.Random(1)
    exchanges: list[Exchange] = []
    messages = [{"role": "system", "content": words(random_, 18_000)}]
    for step in range(28):
        reply = words(random_, 300)
        event = f'data: {{"choices":[{{"delta":{{"content":"{reply}"}}}}]}}\n\ndata: [DONE]\n\n'
        body = json.dumps({"model": "m", "messages": messages, "stream": True}).encode()
        exchanges.append(
            Exchange(
                method="POST",
                url=f"https://api.test/{CHAT}",
                body=body,
                answer=event.encode(),
                kind="model",
            )
        )
        messages.append({"role": "assistant", "content": reply})
        messages.append({"role": "tool", "content": words(random_, 12_600)})
        if step < 20:
            text = words(random_, 20_000 + 20_000 * (step % 20))[: 20_000 + 16_000 * (step % 20)]
            exchanges.append(
                Exchange(
                    method="GET",
                    url=f"https://wiki.test/wiki/Page_{step}",
                    body=b"",
                    answer=text.encode(),
                    kind="tools",
                )
            )
        if step % 7 in (1, 3, 5):
            exchanges.append(
                Exchange(
                    method="GET",
                    url=f"https://maps.test/geocode?address=P{step}",
                    body=b"",
                    answer=b'{"elevation": %d}' % step,
                    kind="tools",
                )
            )
    return exchanges


def serve(exchanges: list[Exchange]) -> Callable[[httpx.Request], httpx.Response]:
    answers = {each.url: each.answer for each in exchanges if each.kind == "tools"}
    model = iter([each.answer for each in exchanges if each.kind == "model"])

    def handler(request: httpx.Request) -> httpx.Response:
        url = str(request.url)
        body = answers[url] if url in answers else next(model)
        return httpx.Response(200, headers={"content-type": "text/plain"}, content=body)

    return handler


async def run_through(
    exchanges: list[Exchange], pick: Callable[[Exchange], httpx.AsyncClient]
) -> None:
    for each in exchanges:
        client = pick(each)
        extensions = {ENDPOINT: CHAT} if each.kind == "model" else {}
        answer = await client.request(
            each.method, each.url, content=each.body, extensions=extensions
        )
        assert answer.content == each.answer


def refuse(request: httpx.Request) -> httpx.Response:
    raise AssertionError(f"went to the network: {request.url}")


async def through_tapes(exchanges: list[Exchange], tapes: RaceTapes, handler: Any) -> None:
    network = httpx.MockTransport(handler)
    clients = {
        "model": httpx.AsyncClient(transport=TapeTransport(network, tape=tapes.model)),
        "tools": httpx.AsyncClient(transport=TapeTransport(network, tape=tapes.tools)),
    }
    await run_through(exchanges, lambda each: clients[each.kind])


async def through_mock(exchanges: list[Exchange], handler: Any) -> None:
    client = httpx.AsyncClient(transport=httpx.MockTransport(handler))
    await run_through(exchanges, lambda each: client)


def ours(exchanges: list[Exchange], files: RaceFiles, *, record: bool) -> None:
    tapes = tapes_for("all" if record else "none", files, metadata=Metadata(model="m"))
    handler = serve(exchanges) if record else refuse
    asyncio.run(through_tapes(exchanges, tapes, handler))
    if record:
        tapes.save()
    tapes.close()


def plain_vcr(exchanges: list[Exchange], path: Path, match_on: list[str], *, record: bool) -> None:
    recorder = vcr.VCR(record_mode="all" if record else "none", match_on=match_on)
    handler = serve(exchanges) if record else refuse
    with recorder.use_cassette(str(path)):
        asyncio.run(through_mock(exchanges, handler))


def cpu(function: Callable[[], None], rounds: int) -> float:
    """Least CPU milliseconds of several rounds."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times) * 1000


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main() -> None:
    exchanges = race()
    asked = sum(len(each.body) for each in exchanges)
    total = asked + sum(len(each.answer) for each in exchanges)
    print(f"{len(exchanges)} interactions, {total / 1e6:.1f} MB of bodies, best of {ROUNDS}")
    default = ["method", "scheme", "host", "port", "path", "query"]
    rows = [
        [
            "no cassette (httpx.MockTransport)",
            None,
            cpu(lambda: asyncio.run(through_mock(exchanges, serve(exchanges))), ROUNDS),
            0,
        ]
    ]
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        files = RaceFiles.of(
            root / "ours", "linear/easy/001", agent="react", model="m", live_world=True
        )
        recording = cpu(lambda: ours(exchanges, files, record=True), 2)
        replaying = cpu(lambda: ours(exchanges, files, record=False), ROUNDS)
        rows.append(["pytest-aar tapes", recording, replaying, size(root / "ours")])
        for label, match_on, rounds in (
            ("vcrpy YAML, default matchers (bodies ignored)", default, ROUNDS),
            ("vcrpy YAML, default matchers + body", [*default, "body"], 1),
        ):
            play = partial(plain_vcr, exchanges, root / label / "cassette.yaml", match_on)
            recording = cpu(partial(play, record=True), 1)
            replay = cpu(partial(play, record=False), rounds)
            rows.append([label, recording, replay, size(root / label)])
    bytes_ours = rows[1][3]
    table = [
        [label, record, replay, replay / replaying, bytes_ / 1e6, bytes_ / bytes_ours]
        for label, record, replay, bytes_ in rows
    ]
    headers = ["", "record CPU ms", "replay CPU ms", "x ours", "disk MB", "x ours"]
    print(tabulate(table, headers, floatfmt=".2f", missingval=""))


if __name__ == "__main__":
    main()
