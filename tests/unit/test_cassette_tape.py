"""Recording and replaying through the transport."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from recorded_race import (
    CHAT,
    MODEL,
    NO_SECRETS,
    TOOLS,
    ask,
    ask_all,
    conversation,
    counting,
    get_all,
    record,
    record_tools,
    refuse,
    three_calls,
)

from pytest_aar.cassettes import (
    ENDPOINT,
    GATEWAY_TAG,
    Metadata,
    RaceFiles,
    RaceTapes,
    TapeOptions,
    TapeTransport,
    open_tape,
    tapes_for,
)
from pytest_aar.cassettes.paths import bodies_path, partial_path
from pytest_aar.errors import CassetteMissing, InfrastructureError, ReplayDiverged, SecretFound
from pytest_aar.secrets import Secrets


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "dag/easy/001/react--m.json"


def answers(responses: list[httpx.Response]) -> list[Any]:
    return [response.json()["answer"] for response in responses]


def test_replay_gives_the_recorded_answers_from_any_host(path: Path) -> None:
    recorded = record(path, three_calls())
    tape = open_tape(path, mode="none", options=MODEL)
    replayed = ask_all(tape, refuse, three_calls(), host="http://127.0.0.1:9")
    assert answers(replayed) == answers(recorded) == [1, 2, 3]
    assert [each.content for each in replayed] == [each.content for each in recorded]
    assert (tape.hits, tape.misses, tape.unplayed, tape.problem) == (3, (), (), None)
    assert replayed[0].extensions["aar_source"] == "replayed"
    assert replayed[0].extensions["aar_recorded_seconds"] >= 0
    assert recorded[0].extensions["aar_source"] == "recorded"


def test_without_a_tape_everything_passes_through() -> None:
    assert answers(ask_all(None, counting(), three_calls())) == [1, 2, 3]


def test_equal_model_calls_replay_in_recorded_order_and_no_more(path: Path) -> None:
    body = conversation("s", "same")
    assert answers(record(path, [body] * 3)) == [1, 2, 3]
    tape = open_tape(path, mode="none", options=MODEL)
    assert answers(ask_all(tape, refuse, [body] * 3)) == [1, 2, 3]
    with pytest.raises(ReplayDiverged, match="recorded three times, asked a fourth time"):
        ask_all(tape, refuse, [body])
    assert len(tape.misses) == 1


def test_tools_replay_any_number_of_times_and_are_fetched_once(tmp_path: Path) -> None:
    path, url = tmp_path / "tools.json", "https://maps.test/geocode?address=Oslo"
    tape = open_tape(path, mode="extend", options=TOOLS)
    assert answers(get_all(tape, counting(), [url, url])) == [1, 1]
    tape.save()
    tape.close()
    replay = open_tape(path, mode="none", options=TOOLS)
    assert answers(get_all(replay, refuse, [url] * 5)) == [1] * 5
    assert replay.unplayed == ()


def test_extend_replays_what_is_recorded_and_adds_what_is_not(tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    old, new = "https://w.test/old", "https://w.test/new"
    record_tools(path, [old])
    tape = open_tape(path, mode="extend", options=TOOLS)

    def only_new(request: httpx.Request) -> httpx.Response:
        assert str(request.url) == new
        return httpx.Response(200, json={"answer": 77})

    assert answers(get_all(tape, only_new, [old, new])) == [1, 77]
    tape.save()
    tape.close()
    replay = open_tape(path, mode="none", options=TOOLS)
    assert answers(get_all(replay, refuse, [new, old])) == [77, 1]


def test_all_fetches_tools_anew_but_keeps_those_of_other_agents(tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    record_tools(path, ["https://w.test/a", "https://w.test/b"])
    tape = open_tape(path, mode="all", options=TOOLS)
    get_all(tape, lambda request: httpx.Response(200, json={"answer": 9}), ["https://w.test/b"])
    tape.save()
    tape.close()
    replay = open_tape(path, mode="none", options=TOOLS)
    assert answers(get_all(replay, refuse, ["https://w.test/a", "https://w.test/b"])) == [1, 9]


def test_unplayed_interactions_are_listed(path: Path) -> None:
    record(path, three_calls())
    tape = open_tape(path, mode="none", options=MODEL)
    ask_all(tape, refuse, three_calls()[:1])
    assert [each.sequence for each in tape.unplayed] == [1, 2]


def test_once_records_then_replays(path: Path) -> None:
    tape = open_tape(path, mode="once", options=MODEL)
    assert tape.recording
    ask_all(tape, counting(), three_calls())
    tape.save()
    tape.close()
    again = open_tape(path, mode="once", options=MODEL)
    assert not again.recording
    assert answers(ask_all(again, refuse, three_calls())) == [1, 2, 3]


def test_a_race_without_model_calls_does_not_replace_a_cassette(path: Path) -> None:
    record(path, three_calls())
    before = path.read_bytes()
    tape = open_tape(path, mode="all", options=MODEL)
    tape.save()
    tape.close()
    assert path.read_bytes() == before
    assert not partial_path(path).exists()


def test_a_missing_cassette_says_how_to_record(path: Path) -> None:
    for model, needs in (("m", "the model and the network"), ("", "the services, no model")):
        with pytest.raises(
            CassetteMissing,
            match=rf"^no cassette; record it with --aar-record=once \(needs {needs}\).* Its place is .*react--m.json",
        ):
            open_tape(path, mode="none", metadata=Metadata(model=model), options=MODEL)


def test_a_missing_cassette_that_can_not_be_recorded_here_says_what_is_lacking(path: Path) -> None:
    lacking = replace(MODEL, lacking="there is no file 'x.zim': get one")
    with pytest.raises(
        CassetteMissing,
        match=r"^no cassette, and none can be recorded yet: there is no file 'x.zim': get one; then "
        r"record it with --aar-record=once\. Its place is .*react--m.json",
    ):
        open_tape(path, mode="none", options=lacking)


def test_equal_requests_at_once_keep_the_order_of_asking(path: Path) -> None:
    async def slow_first(request: httpx.Request) -> httpx.Response:
        number = json.loads(request.content)["messages"][0]["content"]
        await asyncio.sleep(0.05 if number == "0" else 0)
        return httpx.Response(200, json={"answer": number})

    async def run() -> None:
        transport = TapeTransport(httpx.MockTransport(slow_first), tape=tape)
        async with httpx.AsyncClient(transport=transport) as client:
            await asyncio.gather(*(ask(client, conversation(str(n))) for n in range(3)))

    tape = open_tape(path, mode="all", options=MODEL)
    asyncio.run(run())
    tape.save()
    tape.close()
    index = json.loads(path.read_bytes())
    assert [each["added"][0]["gist"][:1] for each in index["interactions"]] == ["0", "1", "2"]


class Ticking(httpx.AsyncByteStream):
    """A stream that waits for the test between its events."""

    def __init__(self, events: list[bytes], allow: asyncio.Semaphore) -> None:
        self._events, self._allow = events, allow

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for event in self._events:
            await self._allow.acquire()
            yield event


class Streaming(httpx.AsyncBaseTransport):
    def __init__(self, stream: httpx.AsyncByteStream) -> None:
        self._stream = stream

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        headers = {"content-type": "text/event-stream", "x-request-id": "r1"}
        return httpx.Response(200, headers=headers, stream=self._stream)


EVENTS = [
    b'data: {"choices":[]}\n\n',
    b'data: {"choices":[1]}\n\n',
    b"data: [DONE]\n\n",
    b": end\n\n",
]


async def stream_events(path: Path, *, read: int) -> list[bytes]:
    """Reads that many events, each allowed only after the one before has arrived."""
    tape = open_tape(path, mode="all", options=MODEL)
    allow, arrived = asyncio.Semaphore(0), []
    transport = TapeTransport(Streaming(Ticking(EVENTS, allow)), tape=tape)
    async with httpx.AsyncClient(transport=transport) as client:
        request = client.build_request(
            "POST", "https://a.test", json=conversation("s"), extensions={ENDPOINT: CHAT}
        )
        response = await client.send(request, stream=True)
        chunks = response.aiter_raw()
        for _ in range(read):
            allow.release()
            arrived.append(await asyncio.wait_for(anext(chunks), 5))
        allow.release()
        if read == len(EVENTS):
            assert await anext(chunks, None) is None
        await response.aclose()
    tape.save()
    tape.close()
    return arrived


def test_events_pass_through_as_they_come_and_replay_whole(path: Path) -> None:
    assert asyncio.run(stream_events(path, read=4)) == EVENTS
    tape = open_tape(path, mode="none", options=MODEL)
    (replayed,) = ask_all(tape, refuse, [conversation("s")])
    assert replayed.content == b"".join(EVENTS)
    assert replayed.headers["content-type"] == "text/event-stream"
    assert "x-request-id" not in replayed.headers


def test_a_client_that_stops_at_the_last_event_is_recorded(path: Path) -> None:
    asyncio.run(stream_events(path, read=3))
    assert path.exists()


def test_a_stream_that_was_left_early_is_not_recorded(path: Path) -> None:
    asyncio.run(stream_events(path, read=2))
    assert not path.exists()


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_a_failure_is_dropped_when_a_later_attempt_succeeded(path: Path, status: int) -> None:
    replies = iter(
        [httpx.Response(status, headers={"retry-after": "9"}), httpx.Response(200, json={})]
    )
    record(path, [conversation("s")] * 2, lambda request: next(replies))
    tape = open_tape(path, mode="none", options=MODEL)
    assert ask_all(tape, refuse, [conversation("s")])[0].status_code == 200
    assert len(json.loads(path.read_bytes())["interactions"]) == 1


def test_a_final_failure_is_kept(path: Path) -> None:
    record(
        path, [conversation("s")], lambda request: httpx.Response(503, headers={"retry-after": "3"})
    )
    tape = open_tape(path, mode="none", options=MODEL)
    (replayed,) = ask_all(tape, refuse, [conversation("s")])
    assert (replayed.status_code, replayed.headers["retry-after"]) == (503, "3")


def test_a_failed_tool_is_fetched_again_in_the_same_race(tmp_path: Path) -> None:
    path, url = tmp_path / "tools.json", "https://w.test/x"
    replies = iter([httpx.Response(503), httpx.Response(200, json={"answer": 5})])
    record_tools(path, [url, url], lambda request: next(replies))
    assert answers(get_all(open_tape(path, mode="none", options=TOOLS), refuse, [url])) == [5]


def test_a_failed_connection_is_not_recorded(path: Path) -> None:
    def down(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("down")

    with pytest.raises(httpx.ConnectError):
        record(path, [conversation("s")], down)
    assert not path.exists()


def test_packed_answers_are_stored_plain(path: Path) -> None:
    packed = httpx.Response(
        200, headers={"content-encoding": "gzip"}, content=gzip.compress(b'{"answer": 1}')
    )
    (live,) = record(path, [conversation("s")], lambda request: packed)
    (replayed,) = ask_all(open_tape(path, mode="none", options=MODEL), refuse, [conversation("s")])
    assert live.content == replayed.content == b'{"answer": 1}'
    assert "content-encoding" not in replayed.headers


@pytest.mark.parametrize("body", [b"", b"\xff\x00\r\n\x85", "ø€𝄞".encode(), b"[1," * 100_000])
def test_any_bytes_survive(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "tools.json"
    record_tools(path, ["https://w.test/"], lambda request: httpx.Response(200, content=body))
    (replayed,) = get_all(open_tape(path, mode="none", options=TOOLS), refuse, ["https://w.test/"])
    assert replayed.content == body


def test_tags_are_put_back_into_replayed_answers(path: Path) -> None:
    def options(port: int) -> TapeOptions:
        return TapeOptions(
            tags={f"http://127.0.0.1:{port}/r/t{port}": "{{aar:gateway}}"}, secrets=NO_SECRETS
        )

    def url(port: int) -> str:
        return f"http://127.0.0.1:{port}/r/t{port}"

    record(
        path,
        [conversation(f"tools are at {url(4000)}")],
        lambda request: httpx.Response(200, json={"say": f"curl {url(4000)}/tools"}),
        options=options(4000),
    )
    assert b"4000" not in path.read_bytes()
    tape = open_tape(path, mode="none", options=options(51234))
    (replayed,) = ask_all(tape, refuse, [conversation(f"tools are at {url(51234)}")])
    assert replayed.json() == {"say": f"curl {url(51234)}/tools"}


def test_a_tag_may_come_after_opening(path: Path) -> None:
    tape = open_tape(path, mode="all", options=MODEL)
    tape.tag("http://127.0.0.1:4000/r/t", GATEWAY_TAG)
    ask_all(
        tape,
        lambda request: httpx.Response(200, text="curl http://127.0.0.1:4000/r/t/x"),
        three_calls(),
    )
    tape.save()
    tape.close()
    replay = open_tape(path, mode="none", options=MODEL)
    replay.tag("http://127.0.0.1:5000/r/u", GATEWAY_TAG)
    assert ask_all(replay, refuse, three_calls())[0].text == "curl http://127.0.0.1:5000/r/u/x"


def test_an_answer_that_can_not_be_decoded_is_not_recorded(path: Path) -> None:
    class Broken(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield b"no gzip"

    class Upstream(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            return httpx.Response(200, headers={"content-encoding": "gzip"}, stream=Broken())

    async def run() -> None:
        transport = TapeTransport(Upstream(), tape=tape)
        async with httpx.AsyncClient(transport=transport) as client:
            await ask(client, conversation("s"))

    tape = open_tape(path, mode="all", options=MODEL)
    with pytest.raises(httpx.DecodingError):
        asyncio.run(run())
    tape.save()
    tape.close()
    assert not path.exists()


def test_nothing_is_recorded_after_the_tape_is_closed(path: Path) -> None:
    tape = open_tape(path, mode="all", options=MODEL)

    def close(request: httpx.Request) -> httpx.Response:
        tape.close()
        return httpx.Response(200)

    ask_all(tape, close, three_calls()[:1])
    assert not partial_path(path).exists()


def test_stale_circumstances_are_listed_and_replay_goes_on(path: Path) -> None:
    before = Metadata(leg_sha256="a1", agent_version="2.4.5", prompt_hash="p", plugin_version="1")
    record(path, three_calls(), metadata=before)
    today = Metadata(leg_sha256="a1", agent_version="2.4.6", prompt_hash="q", plugin_version="2")
    tape = open_tape(path, mode="none", metadata=today, options=MODEL)
    assert tape.stale == (
        "agent_version: recorded 2.4.5, now 2.4.6",
        "prompt_hash: recorded p, now q",
    )
    assert answers(ask_all(tape, refuse, three_calls())) == [1, 2, 3]


@pytest.mark.parametrize("mode", ["none", "once"])
def test_another_leg_is_an_error(path: Path, mode: Any) -> None:
    record(path, three_calls(), metadata=Metadata(leg_sha256="a1"))
    with pytest.raises(
        ReplayDiverged,
        match=r"another state of this leg \(leg sha256 a1, now b2\).*--aar-record=all",
    ):
        open_tape(path, mode=mode, metadata=Metadata(leg_sha256="b2"), options=MODEL)


SECRETS = Secrets.of({"OPENAI_API_KEY": "hunter2-hunter2"})


def test_secret_values_never_reach_the_disk(path: Path) -> None:
    options = TapeOptions(secrets=SECRETS)
    body = conversation("the key is hunter2-hunter2")
    record(
        path,
        [body],
        lambda request: httpx.Response(200, text="got hunter2-hunter2"),
        options=options,
    )
    stored = path.read_bytes() + gzip.decompress(bodies_path(path).read_bytes())
    assert b"hunter2" not in stored
    assert b"<redacted>" in stored
    (replayed,) = ask_all(open_tape(path, mode="none", options=options), refuse, [body])
    assert replayed.text == "got <redacted>"


def test_a_secret_that_is_an_honest_word_where_it_was_recorded_replays(path: Path) -> None:
    """A password "postgres" must not make the recordings of others diverge."""
    body = conversation("s", "what is postgres-15?")
    recorded = record(path, [body])
    options = TapeOptions(secrets=Secrets.from_values(["postgres-15"]))
    tape = open_tape(path, mode="none", options=options)
    assert answers(ask_all(tape, refuse, [body])) == answers(recorded)
    with pytest.raises(ReplayDiverged, match="<redacted>, then"):
        ask_all(tape, refuse, [conversation("s", "what is postgres-15, then?")])


@pytest.mark.parametrize("body", [b"\x00\xff\xfe binary", "na\u00efve \U0001f600".encode(), b""])
def test_an_interrupted_recording_keeps_any_body(path: Path, body: bytes) -> None:
    asked = [conversation("s")]
    tape = open_tape(path, mode="once", options=MODEL)
    ask_all(tape, lambda request: httpx.Response(200, content=body), asked)
    tape.close()
    tape = open_tape(path, mode="once", options=MODEL)
    (again,) = ask_all(tape, refuse, asked)
    tape.close()
    assert again.content == body


def test_a_secret_met_late_leaves_no_interrupted_recording(path: Path) -> None:
    """Going on with it would meet the secret again."""
    tape = open_tape(path, mode="once", options=MODEL)
    answers_ = iter(["fine", "sk-ant-" + "a1" * 20, "fine"])
    ask_all(tape, lambda request: httpx.Response(200, text=next(answers_)), three_calls())
    assert isinstance(tape.fault, SecretFound)
    assert f"It came with {CHAT}." in str(tape.fault)
    tape.close()
    assert not list(path.parent.iterdir())


def test_a_providers_key_refuses_the_save(path: Path) -> None:
    record(path, three_calls())
    before = path.read_bytes()
    key = "sk-ant-" + "a1" * 20
    tape = open_tape(path, mode="all", options=MODEL)
    ask_all(tape, lambda request: httpx.Response(200, text=f"use {key}"), three_calls())
    assert tape.problem is not None
    with pytest.raises(
        InfrastructureError, match=r"not written, it would hold API key \(sk-\)"
    ) as error:
        tape.save()
    tape.close()
    assert key not in str(error.value)
    assert path.read_bytes() == before
    assert not [each for each in path.parent.iterdir() if key.encode() in each.read_bytes()]
    assert not list(path.parent.glob("*.partial"))


def test_a_key_spread_over_events_refuses_the_save(path: Path) -> None:
    halves = ["sk-ant-" + "a1" * 5, "b2" * 10]
    events = "".join(f'data: {{"delta":{{"content":"{half}"}}}}\n\n' for half in halves)
    with pytest.raises(InfrastructureError, match="would hold API key"):
        record(path, [conversation("s")], lambda request: httpx.Response(200, text=events))
    assert not path.exists()


def test_credentials_in_the_query_are_neither_stored_nor_matched(tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    record_tools(path, ["https://maps.test/g?address=Oslo&key=first-secret"])
    assert b"first-secret" not in path.read_bytes()
    tape = open_tape(path, mode="none", options=TOOLS)
    assert answers(get_all(tape, refuse, ["https://maps.test/g?key=other&address=Oslo"])) == [1]


class TestTapesFor:
    @pytest.fixture
    def files(self, tmp_path: Path) -> RaceFiles:
        return RaceFiles.of(tmp_path, "dag/easy/001", agent="react", model="m", live_world=True)

    def race(self, files: RaceFiles, mode: Any, **how: Any) -> tuple[bool | None, bool | None]:
        """Which of the two tapes record (None: no tape); runs one race."""
        tapes = tapes_for(mode, files, metadata=Metadata(), options=MODEL, **how)
        recording = tuple(tape and tape.recording for tape in (tapes.model, tapes.tools))
        ask_all(tapes.model, counting(), three_calls())
        get_all(tapes.tools, counting(), ["https://w.test/"])
        tapes.save()
        tapes.close()
        return recording

    def test_modes_of_a_leg_that_is_not_recorded(self, files: RaceFiles) -> None:
        with pytest.raises(CassetteMissing):
            self.race(files, "none")
        assert self.race(files, "off") == (None, None)
        assert self.race(files, "tools") == (None, True)
        assert self.race(files, "once") == (True, True)
        assert self.race(files, "once") == (False, False)

    def test_modes_of_a_recorded_leg(self, files: RaceFiles) -> None:
        self.race(files, "once")
        assert self.race(files, "none") == (False, False)
        assert self.race(files, "diverged") == (False, False)
        assert self.race(files, "diverged", again=True) == (True, True)
        assert self.race(files, "all") == (True, True)
        assert self.race(files, "tools") == (None, True)

    def test_nothing_stays_open_when_one_tape_can_not_be_opened(self, files: RaceFiles) -> None:
        assert files.model is not None
        other = open_tape(files.model, mode="all", options=MODEL)
        with pytest.raises(InfrastructureError, match="another process is recording"):
            self.race(files, "once")
        other.close()
        assert self.race(files, "once") == (True, True)

    def test_stale_lines_of_both_tapes(self, files: RaceFiles) -> None:
        def opened(mode: Any, world: str) -> RaceTapes:
            return tapes_for(mode, files, metadata=Metadata(world_hash=world), options=MODEL)

        tapes = opened("once", "w1")
        ask_all(tapes.model, counting(), three_calls())
        tapes.save()
        tapes.close()
        assert opened("none", "w2").stale == ("world_hash: recorded w1, now w2",)

    def test_the_sandbox_records_no_tools(self, tmp_path: Path) -> None:
        files = RaceFiles.of(tmp_path, "dag/easy/001", agent="react", model="m")
        assert self.race(files, "once") == (True, None)

    def test_a_race_without_tool_calls_replays(self, files: RaceFiles) -> None:
        for mode in ("once", "none"):
            tapes = tapes_for(mode, files, metadata=Metadata(), options=MODEL)  # type: ignore[arg-type]
            ask_all(tapes.model, counting(), three_calls())
            tapes.save()
            tapes.close()
        assert tapes.model is not None
        assert not tapes.model.recording
