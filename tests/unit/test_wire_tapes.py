"""Cassettes of Responses and Messages: recorded and replayed, in another box, and what a key leaves out."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from little_world import gateway, order, post
from model_wires import ASKED, MESSAGES, PATHS, RESPONSES, STREAMS, Upstream, plain, sse, streamed
from recorded_race import NO_SECRETS

from pytest_aar.cassettes import ENDPOINT, TapeOptions, TapeTransport, cassette_file, open_tape
from pytest_aar.cassettes.canonical import Canonical
from pytest_aar.cassettes.protocols import protocol_of
from pytest_aar.errors import ReplayDiverged
from pytest_aar.gateway import Tapes
from pytest_aar.secrets import Secrets

both = pytest.mark.parametrize("path", PATHS)
WORK = "{{aar:work}}"


def canonical(**tags: str) -> Canonical:
    return Canonical(secrets=NO_SECRETS, tags={text: tag for tag, text in tags.items()})


def key(path: str, body: dict[str, Any], **tags: str) -> str:
    data = json.dumps(body).encode()
    return canonical(**tags).asked("POST", "https://m.test/x", data, endpoint=path).key


def asked(path: str, *contents: Any, **head: Any) -> dict[str, Any]:
    name = protocol_of(path).messages_key  # type: ignore[union-attr]
    return {**ASKED[path], name: list(contents), **head}


@both
@pytest.mark.parametrize("is_streamed", [True, False], ids=["streamed", "plain"])
def test_a_recorded_race_replays_without_the_model(
    path: str, tmp_path: Path, *, is_streamed: bool
) -> None:
    answer = streamed(*STREAMS[path]) if is_streamed else plain(path)
    body = {**ASKED[path], "stream": is_streamed}
    file = tmp_path / "c.json"
    replies = []
    for mode, upstream in (("all", Upstream(answer)), ("none", Upstream(AssertionError("asked")))):
        tape = open_tape(file, mode=mode)  # type: ignore[arg-type]
        with gateway(upstream) as gate, gate.open_race(order(tapes=Tapes(model=tape))) as race:
            replies.append(post(race, gate, path, json=body))
            (call,) = race.trace().model_calls
            assert (call.status, call.input_tokens, call.output_tokens) == (200, 11, 3)
            assert race.problem is None
        tape.save()
        assert tape.misses == ()
        tape.close()
    assert replies[0].content == replies[1].content
    assert replies[0].headers["content-type"] == replies[1].headers["content-type"]
    (interaction,) = cassette_file.read(file).interactions
    assert interaction.asked.uri == path


@both
def test_a_changed_prompt_diverges_with_the_protocols_refusal(path: str, tmp_path: Path) -> None:
    file, replies = tmp_path / "c.json", []
    for mode, word in (("all", "hi"), ("none", "hello")):
        tape = open_tape(file, mode=mode)  # type: ignore[arg-type]
        said = {"role": "user", "content": word}
        with (
            gateway(Upstream(plain(path))) as gate,
            gate.open_race(order(tapes=Tapes(model=tape))) as race,
        ):
            replies.append(post(race, gate, path, json=asked(path, said)))
        tape.save()
        tape.close()
    assert isinstance(race.problem, ReplayDiverged)
    assert (replies[1].status_code, replies[1].headers["x-should-retry"]) == (400, "false")
    message = replies[1].json()["error"]["message"]
    assert f"replay diverged: POST {path} is not in {file}" in message
    assert "first difference in message 0 of 1 (role user" in message


@both
def test_a_stream_that_its_reader_leaves_at_the_last_event_is_kept(
    path: str, tmp_path: Path
) -> None:
    kept = []
    for count in (len(STREAMS[path]), len(STREAMS[path]) - 1):
        tape = open_tape(tmp_path / f"{count}.json", mode="all")

        async def read(tape: Any = tape, count: int = count) -> None:
            road = TapeTransport(Upstream(streamed(*STREAMS[path], b": more")), tape=tape)
            request = httpx.Request("POST", "https://m.test/x", json=ASKED[path])
            request.extensions[ENDPOINT] = path
            reply = await road.handle_async_request(request)
            chunks = aiter(reply.stream)  # type: ignore[arg-type]
            for _ in range(count):
                await anext(chunks)
            await reply.aclose()

        asyncio.run(read())
        kept.append(tape.recorded)
        tape.close()
    assert kept == [1, 0]


@pytest.mark.parametrize("end", ["response.completed", "response.incomplete", "response.failed"])
def test_ends_of_a_stream_of_responses(end: str) -> None:
    is_complete = protocol_of(RESPONSES).is_complete  # type: ignore[union-attr]
    whole = b"".join(sse([{"type": "response.created"}, {"type": end}]))
    assert is_complete(whole)
    assert is_complete(whole + b"data: [DONE]\n\n")
    assert is_complete(whole.replace(b"\n", b"\r\n"))
    assert not is_complete(whole[:-20])
    assert not is_complete(b"")


# One recording for every kind of box


@both
def test_the_work_folder_of_any_box_is_one(path: str) -> None:
    def said(folder: str, gate: str) -> dict[str, Any]:
        nested = json.dumps({"cmd": f"cd {folder}\n{folder}/run.sh"})
        text = f"{folder} {folder}/a '{folder}'\n{folder}\n{gate}/tools {nested}"
        return asked(path, {"role": "user", "content": text})

    tagged = Canonical(secrets=NO_SECRETS, tags={"/tmp/p/w": WORK})

    def key_of(folder: str, gate: str) -> str:
        data = json.dumps(said(folder, gate)).encode()
        return tagged.asked("POST", "https://m.test/x", data, endpoint=path).key

    plain_box = key_of("/tmp/p/w", "http://127.0.0.1:9/r/abc_-1")
    assert plain_box == key_of("/race", "unix:/run/aar/gateway.sock:/r/zz")
    assert plain_box == key_of("/race", "http://127.0.0.1:8080/r/x")
    assert plain_box != key_of("/tmp/p/v", "http://127.0.0.1:9/r/abc_-1")


@pytest.mark.parametrize(
    "text",
    ["/racecar", "/race-day", "/race.txt", "a/race", "./race", "~/race", "https://x.test/race"],
)
def test_other_names_are_left_alone(text: str) -> None:
    assert canonical().clean_text(text) == text


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("/race", WORK),
        ("in /race.", f"in {WORK}."),
        ("/race/a.txt:3", f"{WORK}/a.txt:3"),
        ('"/race"', f'"{WORK}"'),
        (r"a\n/race\n", rf"a\n{WORK}\n"),
        ("PWD=/race:/bin", f"PWD={WORK}:/bin"),
        ("http://127.0.0.1:8080/r/T-k_1/task", "{{aar:gateway}}/task"),
        ("unix:/run/aar/gateway.sock:/r/T-k_1", "{{aar:gateway}}"),
    ],
)
def test_what_is_tagged_by_its_form(text: str, cleaned: str) -> None:
    assert canonical().clean_text(text) == cleaned


def test_answers_get_the_text_that_was_tagged_last() -> None:
    boxed = canonical()
    for text in ("/tmp/p/w", "/race"):
        boxed.tag(text, WORK)
    stored = boxed.clean_answer(b'{"a": "cat /race/x /tmp/p/w/y /racecar"}')
    assert stored == b'{"a": "cat {{aar:work}}/x {{aar:work}}/y /racecar"}'
    assert boxed.revive_answer(stored) == b'{"a": "cat /race/x /race/y /racecar"}'
    bare = canonical()
    bare.tag("/tmp/q", WORK)
    assert bare.revive_answer(stored) == b'{"a": "cat /tmp/q/x /tmp/q/y /racecar"}'


def test_an_answer_that_is_no_text_keeps_its_bytes() -> None:
    assert canonical().clean_answer(b"\xff /race") == b"\xff /race"


def test_a_recording_of_one_box_replays_in_another(tmp_path: Path) -> None:
    """The model repeats the path it saw, the agent sends it back: the second call must be found."""
    file = tmp_path / "c.json"
    for mode, folder in (("all", "/race"), ("none", str(tmp_path / "w")), ("none", "/race")):
        tape = open_tape(file, mode=mode, options=TapeOptions(tags={str(tmp_path / "w"): WORK}))  # type: ignore[arg-type]
        tape.tag(folder, WORK)
        answers = [httpx.Response(200, json={"content": f"ls {folder}/a", "n": n}) for n in (1, 2)]
        said: list[Any] = [{"role": "user", "content": f"you are in {folder}"}]
        with (
            gateway(Upstream(*answers)) as gate,
            gate.open_race(order(tapes=Tapes(model=tape))) as race,
        ):
            for _ in range(2):
                reply = post(race, gate, MESSAGES, json=asked(MESSAGES, *said)).json()
                said.append({"role": "assistant", "content": reply["content"]})
        assert reply == {"content": f"ls {folder}/a", "n": 2}
        assert race.problem is None
        tape.save()
        tape.close()


# Texts that a stream cuts in two

CUT = ("cd /tmp/p", "/w && ls /ra", "ce/x", " done")


def cut_stream(path: str) -> bytes:
    """The words of CUT in one event each, with an event before and after."""
    if path == MESSAGES:
        deltas = [{"type": "text_delta", "text": word} for word in CUT]
        events = [{"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas]
        return b"".join(sse([{"type": "ping"}, *events, {"type": "message_stop"}]))
    if path == RESPONSES:
        kind = {"type": "response.output_text.delta", "item_id": "m"}
        events = [{**kind, "delta": word, "sequence_number": n} for n, word in enumerate(CUT)]
        return b"".join(sse([{"type": "response.created"}, *events, {"type": "x.done"}]))
    chunks = [{"choices": [{"index": 0, "delta": {"content": word}}]} for word in CUT]
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()


@pytest.mark.parametrize("path", [*PATHS, "chat"])
def test_a_path_that_a_stream_cuts_in_two_is_tagged_all_the_same(path: str) -> None:
    tagged = canonical()
    tagged.tag("/tmp/p/w", WORK)
    stored = tagged.clean_answer(cut_stream(path))
    assert f"cd {WORK} && ls {WORK}/x".encode() in stored
    assert stored.count(b"\n\n") == cut_stream(path).count(b"\n\n") - 3
    assert stored.split(b"\n\n")[-2] == cut_stream(path).split(b"\n\n")[-2]
    assert b"cd /tmp/p/w && ls /tmp/p/w/x" in tagged.revive_answer(stored)


@pytest.mark.parametrize("path", [*PATHS, "chat"])
def test_a_stream_with_nothing_to_replace_is_stored_as_it_came(path: str) -> None:
    stream = cut_stream(path).replace(b"/ra", b"/gr").replace(b"\n", b"\r\n")
    assert canonical().clean_answer(stream) == stream


def test_a_secret_that_a_stream_cuts_in_two_is_redacted() -> None:
    hiding = Canonical(secrets=Secrets.from_values(["/tmp/p/w && ls"]), tags={})
    assert b"cd <redacted> {{aar:work}}/x" in hiding.clean_answer(cut_stream(MESSAGES))


@pytest.mark.parametrize(
    "body",
    [b"data: {", b"data: [1]\n\ndata: 7\n\n", b"event: x\n\n", b'data: {"delta": {"text": "\\ud83d"}}\n\n'],
)  # fmt: skip
def test_odd_streams_are_stored_as_they_came(body: bytes) -> None:
    assert canonical().clean_answer(body) == body


# What a reviewer sees


@pytest.mark.parametrize(
    ("path", "message", "role", "gist"),
    [
        (MESSAGES, {"role": "user", "content": "race\n now"}, "user", "race now"),
        (
            MESSAGES,
            {
                "role": "user",
                "content": [{"type": "text", "text": "<reminder>"}, {"type": "text", "text": "go"}],
            },
            "user",
            "go",
        ),
        (
            MESSAGES,
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t", "content": "# Oslo"}],
            },
            "user",
            "# Oslo",
        ),
        (
            MESSAGES,
            {"role": "assistant", "content": [{"type": "tool_use", "input": {"command": "ls"}}]},
            "assistant",
            '{"command": "ls"}',
        ),
        (
            RESPONSES,
            {"role": "user", "content": [{"type": "input_text", "text": "go"}]},
            "user",
            "go",
        ),
        (RESPONSES, {"type": "function_call", "arguments": "{}"}, "function_call", "{}"),
        (
            RESPONSES,
            {"type": "function_call_output", "output": "Chunk ID: ab\nOutput:\n# Oslo"},
            "function_call_output",
            "# Oslo",
        ),
        (RESPONSES, {"role": "user", "content": "in /race"}, "user", "in {{aar:work}}"),
        (RESPONSES, {"role": "user", "content": "x" * 300}, "user", "x" * 100),
        (RESPONSES, 7, "", "7"),
    ],
)
def test_the_index_shows_who_says_what(path: str, message: Any, role: str, gist: str) -> None:
    data = json.dumps(asked(path, message)).encode()
    (part,) = canonical().asked("POST", "https://m.test/x", data, endpoint=path).messages
    assert (part.role, part.gist) == (role, gist)


# What a key leaves out

HEAD = "Wall time: 1 seconds\n"
RESULT = '{"chunk_id": "ab12", "wall_time_seconds": 0.1, "exit_code": 0, "output": "wall0.1"}'


def output(text: Any, kind: str = "function_call_output") -> dict[str, Any]:
    return asked(RESPONSES, {"type": kind, "call_id": "c", "output": text})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"{HEAD}Process running with session ID 12\nOutput:\n", f"{HEAD}Process running with session ID 5\nOutput:\n"),
        ("Chunk ID: ab12\nWall time: 0.1 seconds\nOutput:\nx", "Chunk ID: cd34\nWall time: 3.25 seconds\nOutput:\nx"),
        (f"{HEAD}Original token count: 7\nOutput:\nx", f"{HEAD}Original token count: 8\nOutput:\nx"),
        ("Exit code: 0\nWall time: 1 seconds\nOutput:\nx", "Exit code: 0\nWall time: 2 seconds\nOutput:\nx"),
        ("Script completed\nWall time 0.1 seconds\nOutput:\nx", "Script completed\nWall time 2.0 seconds\nOutput:\nx"),
        ([{"text": "Wall time: 1.0 seconds\nOutput:"}], [{"text": "Wall time: 2.5 seconds\nOutput:"}]),
    ],
)  # fmt: skip
def test_codexs_own_words_around_an_output_do_not_count(one: Any, other: Any) -> None:
    for kind in ("function_call_output", "custom_tool_call_output"):
        assert key(RESPONSES, output(one, kind)) == key(RESPONSES, output(other, kind))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x\nOutput:\nChunk ID: ab", "x\nOutput:\nChunk ID: cd"),
        (f"{HEAD}Output:\nWall time: 1 seconds", f"{HEAD}Output:\nWall time: 2 seconds"),
        (f"{HEAD}Process exited with code 0\nOutput:\n", f"{HEAD}Process exited with code 1\nOutput:\n"),
        ("session ID 1", "session ID 2"),
        ("Wall time: 5 seconds", "Wall time: 6 seconds"),
        ("x\nWall time: 5 seconds\nOutput:\nx", "x\nWall time: 6 seconds\nOutput:\nx"),
        (f"{HEAD}x\nsession ID 1\nOutput:\n", f"{HEAD}x\nsession ID 2\nOutput:\n"),
        (f"{HEAD}Output:\n{HEAD}", f"{HEAD}Output:\nWall time: 2 seconds\n"),
        ('{"wall_time_seconds": 3.5}', '{"wall_time_seconds": 9.5}'),
        ('{"chunk_id": "a"}', '{"chunk_id": "b"}'),
        (RESULT, RESULT.replace("0.1,", "0.2,")),
    ],
)  # fmt: skip
def test_the_output_itself_counts(one: str, other: str) -> None:
    assert key(RESPONSES, output(one)) != key(RESPONSES, output(other))


def test_a_commands_result_in_a_script_does_not_count_by_what_varies() -> None:
    def shown(text: str) -> str:
        return key(RESPONSES, output([{"text": text}], "custom_tool_call_output"))

    other = RESULT.replace("0.1,", "2.5,").replace("ab12", "cd34").replace(" ", "")
    assert shown(RESULT) == shown(other)
    assert shown(RESULT) != shown(RESULT.replace("wall0.1", "wall0.2"))
    assert shown(RESULT) != shown(RESULT.replace('"exit_code": 0', '"exit_code": 1'))
    mine = RESULT.replace("exit_code", "speed")
    assert shown(mine) != shown(mine.replace("0.1,", "2.5,"))


def test_a_prompt_may_speak_of_wall_times() -> None:
    def prompt(text: str) -> str:
        return key(RESPONSES, asked(RESPONSES, {"role": "user", "content": text}))

    assert prompt("Wall time: 1 seconds") != prompt("Wall time: 2 seconds")
    assert prompt("<cwd>/a</cwd>") != prompt("<cwd>/b</cwd>")


def test_a_reference_counts_and_other_ids_do_not() -> None:
    def item(**fields: str) -> str:
        return key(RESPONSES, asked(RESPONSES, fields))

    assert item(type="item_reference", id="a") != item(type="item_reference", id="b")
    assert item(type="message", id="a") == item(type="message", id="b") == item(type="message")


def test_an_input_that_is_a_text_alone_is_read_too() -> None:
    one, other = ({**ASKED[RESPONSES], "input": "hi", "prompt_cache_key": k} for k in "ab")
    assert key(RESPONSES, one) == key(RESPONSES, other)
    assert key(RESPONSES, one) != key(RESPONSES, {**one, "input": "ho"})


def test_codexs_folder_of_skills_does_not_count() -> None:
    def skills(folder: str, what: str) -> str:
        text = f"<skills_instructions>\n### Skill roots\n- `r0` = `{folder}`\n- {what}"
        return key(RESPONSES, asked(RESPONSES, {"role": "developer", "content": text}))

    assert skills("/tmp/a", "x") == skills("/tmp/b", "x") != skills("/tmp/a", "y")


def test_a_text_alone_and_one_block_of_it_are_the_same() -> None:
    block = {"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}
    one = asked(MESSAGES, {"role": "user", "content": "hi"}, system="be quick")
    other = asked(
        MESSAGES,
        {"role": "user", "content": [block]},
        system=[{"type": "text", "text": "be quick"}],
    )
    assert key(MESSAGES, one) == key(MESSAGES, other)
    assert key(MESSAGES, one) != key(MESSAGES, {**one, "system": "be slow"})


def test_only_results_of_calls_are_put_in_order() -> None:
    def blocks(*texts: str) -> str:
        content = [{"type": "text", "text": text} for text in texts]
        return key(MESSAGES, asked(MESSAGES, {"role": "user", "content": content}))

    assert blocks("a", "b") != blocks("b", "a")


@pytest.mark.parametrize("field", ["max_tokens", "tools", "thinking", "output_config", "system"])
def test_fields_that_change_answers_count(field: str) -> None:
    body = asked(MESSAGES, {"role": "user", "content": "hi"})
    assert key(MESSAGES, body) != key(MESSAGES, {**body, field: [{"name": "x"}]})


@both
@pytest.mark.parametrize("odd", [None, 7, "text", [1], {"role": "user"}, {"content": None}])
def test_odd_messages_have_keys_too(path: str, odd: Any) -> None:
    assert key(path, asked(path, odd)) != key(path, asked(path, {"role": "user", "content": "x"}))
