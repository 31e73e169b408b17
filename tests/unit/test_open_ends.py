"""A recorded race that ran out of time in a model call ends in its replay where it ended then."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from little_world import LEG, chat, gateway
from recorded_race import MODEL, ask, conversation, counting, record, refuse, three_calls

from pytest_aar.agents import Course, Limits
from pytest_aar.cassettes import TapeTransport, cassette_file, open_tape
from pytest_aar.cassettes.catalogue import circumstances, verify
from pytest_aar.cassettes.differences import differences
from pytest_aar.errors import RecordedTimeout, ReplayDiverged
from pytest_aar.leg import ClueEnvelope
from pytest_aar.race import Race, Track
from pytest_aar.settings import Settings
from pytest_aar.trace import Finish

CHAT = "openai/v1/chat/completions"
NORLAND = {"country": "Norland"}


class Hangs(httpx.AsyncBaseTransport):
    """Answers so many calls, and then no more."""

    def __init__(self, answers: int) -> None:
        self.answers = answers

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        self.answers -= 1
        if self.answers < 0:
            await asyncio.Future()
        return httpx.Response(200, json=chat("go on"))


class Offline(httpx.AsyncBaseTransport):
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        raise AssertionError("a replay went to the model")


def _ends(reply: httpx.Response) -> Finish:
    return Finish(ending="no-answer", detail=reply.text)


def _answers(reply: httpx.Response) -> Finish:
    return Finish(ending="answered", answer=6)


def _raises(reply: httpx.Response) -> Finish:
    raise KeyError("choices")


@dataclass
class Asks:
    """Asks the model for one text after another, then ends as told."""

    texts: tuple[str, ...] = ("one", "two")
    end: Callable[[httpx.Response], Finish] = _ends
    think: float = 0.0
    answer: str = ""
    replies: list[httpx.Response] = field(default_factory=list)
    name: str = "asks"

    def version(self) -> str:
        return "1"

    async def run(self, envelope: ClueEnvelope, course: Course, limits: Limits) -> Finish:
        if self.answer:
            (course.workdir / "answer.txt").write_text(self.answer)
        for text in self.texts:
            await course.http.post("tools/countries_area", json=NORLAND)
            await asyncio.sleep(self.think)
            body = {"messages": [{"role": "user", "content": text}]}
            self.replies.append(await course.http.post(CHAT, json=body))
        return self.end(self.replies[-1])


def race(agent: Asks, tmp_path: Path, upstream: httpx.AsyncBaseTransport, **settings: Any) -> Race:
    given = Settings(model="m", cassettes=tmp_path / "cassettes", infra_retries=0, **settings)
    track = Track(given, tmp_path / "run", gateway=gateway(upstream))
    try:
        return track.race(LEG, agent)
    finally:
        track.close()


def recorded(tmp_path: Path, agent: Asks | None = None, *, answers: int = 1) -> Race:
    agent = agent or Asks(think=0.15)
    return race(agent, tmp_path, Hangs(answers), record="all", timeout=0.4)


@pytest.mark.parametrize("end", [_ends, _answers, _raises])
def test_its_replay_ends_as_a_timeout_at_once(
    tmp_path: Path, end: Callable[[httpx.Response], Finish]
) -> None:
    then = recorded(tmp_path)
    assert (then.outcome, then.problem) == ("timeout", None)
    agent = Asks(end=end)
    now = race(agent, tmp_path, Offline(), record="none", timeout=600)
    assert (now.outcome, now.problem, now.answer) == ("timeout", None, None)
    assert now.record.race_seconds < 5
    assert now.score == then.score
    statuses = [[call.status for call in each.trace.model_calls] for each in (then, now)]
    assert statuses == [[200, 0], [200, 0]]
    assert now.record.replay == {"hits": 1, "misses": 0, "unplayed": 0}
    refusal = agent.replies[-1]
    assert refusal.status_code == 404
    assert refusal.headers["x-should-retry"] == "false"
    assert refusal.json()["error"]["code"] == "aar_timeout"


def test_a_digit_that_was_written_before_counts_in_both(tmp_path: Path) -> None:
    then = recorded(tmp_path, Asks(think=0.15, answer="6"))
    now = race(Asks(answer="6"), tmp_path, Offline(), record="none", timeout=600)
    assert [(each.outcome, each.answer, each.problem) for each in (then, now)] == [
        ("timeout", 6, None)
    ] * 2


def test_after_the_end_every_call_is_refused_alike(tmp_path: Path) -> None:
    recorded(tmp_path)
    agent = Asks(texts=("one", "two", "two", "three"))
    assert race(agent, tmp_path, Offline(), record="none").outcome == "timeout"
    codes = [reply.json()["error"]["code"] for reply in agent.replies[1:]]
    assert codes == ["aar_timeout"] * 3


def test_a_replay_that_asks_for_anything_else_diverges(tmp_path: Path) -> None:
    recorded(tmp_path)
    now = race(Asks(texts=("one", "other")), tmp_path, Offline(), record="none")
    assert isinstance(now.problem, ReplayDiverged)


def test_a_race_that_ended_otherwise_leaves_no_open_end(tmp_path: Path) -> None:
    assert recorded(tmp_path, Asks(), answers=2).outcome == "no-answer"
    (index,) = (tmp_path / "cassettes").rglob("*.json")
    assert "open_ends" not in json.loads(index.read_text())


# The tape


def late(path: Path, *bodies: dict[str, Any], answers: int = 1) -> None:
    """Record calls, each given up by its client when it has no answer for a moment; then the time is up."""
    tape = open_tape(path, mode="all", options=MODEL)

    async def run() -> None:
        upstream = Hangs(answers)
        async with httpx.AsyncClient(transport=TapeTransport(upstream, tape=tape)) as client:
            for body in bodies:
                try:
                    async with asyncio.timeout(0.05):
                        await ask(client, body)
                except TimeoutError:
                    upstream.answers = answers  # the server is back

    asyncio.run(run())
    tape.save(timed_out=True)
    tape.close()


def replayed(path: Path, *bodies: dict[str, Any]) -> None:
    tape = open_tape(path, mode="none", options=MODEL)

    async def run() -> None:
        transport = TapeTransport(httpx.MockTransport(refuse), tape=tape)
        async with httpx.AsyncClient(transport=transport) as client:
            for body in bodies:
                await ask(client, body)

    asyncio.run(run())


def test_the_first_call_may_be_the_open_one(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    late(path, conversation("hello"), answers=0)
    assert cassette_file.read(path).interactions == ()
    assert verify(path) == []
    assert "unanswered when the race's time was up" in dict(circumstances(cassette_file.read(path)))
    with pytest.raises(RecordedTimeout, match="ran out of time"):
        replayed(path, conversation("hello"))


def test_recordings_that_differ_in_their_open_end_alone_differ(tmp_path: Path) -> None:
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    late(one, conversation("hello"), answers=0)
    late(other, conversation("bye"), answers=0)
    assert differences(one, one) == []
    (line,) = differences(one, other)
    assert line.startswith("waited for when the race's time was up: ")


def test_a_call_that_its_client_gave_up_is_no_end(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    one, other = conversation("one"), conversation("other")
    late(path, one, conversation("given up"), other, answers=1)
    assert cassette_file.read(path).open_ends == ()
    with pytest.raises(ReplayDiverged):
        replayed(path, one, conversation("given up"))


def test_a_stream_that_was_cut_is_an_open_end(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    tape = open_tape(path, mode="all", options=MODEL)

    class Cut(httpx.AsyncByteStream):
        async def __aiter__(self):  # type: ignore[no-untyped-def]
            yield b'data: {"choices": []}\n\n'
            await asyncio.Future()

    async def run() -> None:
        upstream = httpx.MockTransport(lambda _: httpx.Response(200, stream=Cut()))
        async with httpx.AsyncClient(transport=TapeTransport(upstream, tape=tape)) as client:
            async with asyncio.timeout(0.05):
                await ask(client, conversation("hello"))

    with pytest.raises(TimeoutError):
        asyncio.run(run())
    tape.save(timed_out=True)
    tape.close()
    with pytest.raises(RecordedTimeout):
        replayed(path, conversation("hello"))


def test_a_file_without_open_ends_is_what_it_was(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    record(path, three_calls(), counting())
    assert b"open_ends" not in path.read_bytes()
    replayed(path, *three_calls())
