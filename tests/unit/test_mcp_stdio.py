"""`aar mcp`: over pipes, by the SDK's own client and by hand."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from pytest_aar.cli import aar
from pytest_aar.cli.mcp import server_over, tell_odd
from pytest_aar.errors import ConfigurationError, InfrastructureError
from pytest_aar.settings import Settings
from pytest_aar.tools import SANDBOX, TOOL_NAMES, PythonRun, Services, schema, tool_named

mcp_client = pytest.importorskip("mcp.client.client", reason="needs the extra mcp")

from pytest_aar.cli.mcp_lines import Answers, Lines, Unanswered  # noqa: E402 - needs the extra

SERVER = (sys.executable, "-c", "from pytest_aar.cli import main; main()", "mcp")
PATIENCE = 60.0  # seconds


def request(identity: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}


CLIENT = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "t", "version": "1"},
}
OPENING = (
    request(0, "initialize", **CLIENT),
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
)


def call(identity: int, name: str, **arguments: Any) -> dict[str, Any]:
    return request(identity, "tools/call", name=name, arguments=arguments)


def written(*messages: dict[str, Any]) -> str:
    return "".join(json.dumps(message) + "\n" for message in messages)


def test_the_sdks_client_finds_the_tools_and_calls_them() -> None:
    async def talk() -> dict[str, Any]:
        from mcp.client.stdio import StdioServerParameters  # noqa: PLC0415 - the extra's

        server = StdioServerParameters(command=SERVER[0], args=list(SERVER[1:]))
        async with mcp_client.Client(server) as client:
            asked = {
                "good": ("maps_geocode", {"address": "Lima"}),
                "alias": ("serper_search", {"query": "Lima"}),
                "date": (
                    "weather_historical",
                    {"latitude": -12, "longitude": -77, "date": "2024-01-02"},
                ),
                "argument": ("maps_geocode", {"adress": "Lima"}),
                "tool": ("maps_geo", {}),
                "long": ("python_execute_code", {"code": "print('x' * 20_000)"}),
                "model": ("python_generate_code", {"description": "d"}),
            }
            listed = await client.list_tools()
            results = {key: await client.call_tool(*given) for key, given in asked.items()}
            return {"listed": listed.tools, **results}

    found = asyncio.run(talk())
    assert [tool.name for tool in found["listed"]] == list(TOOL_NAMES)
    for tool in found.pop("listed"):
        ours = tool_named(tool.name)
        assert ours is not None
        assert (tool.description, tool.input_schema) == (ours.description, schema(ours))
    said = {key: result.content[0].text for key, result in found.items()}
    assert {key for key, result in found.items() if result.is_error} == {
        "argument",
        "tool",
        "model",
    }
    assert json.loads(said["good"])["formatted_address"] == "Lima, Peru"
    assert json.loads(said["alias"])["results"][0]["url"] == "https://wiki.aar.test/wiki/Lima"
    assert json.loads(said["date"])["daily"]["time"] == ["2024-01-02"]
    assert "unknown argument 'adress'; it takes address" in said["argument"]
    assert "no tool is called 'maps_geo'" in said["tool"]
    assert "[cut: characters 0 to 8000 of" in said["long"]
    assert "model" in json.loads(said["model"])["error"]["message"]


def test_all_that_was_asked_is_answered_before_the_end() -> None:
    asked = written(
        *OPENING,
        call(1, "python_execute_code", code="print(6 * 7)"),
        call(2, "countries_area", country="Peru"),
    )
    done = subprocess.run(
        SERVER, input=asked, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert (done.returncode, done.stderr) == (0, "")
    replies = {reply["id"]: reply["result"] for reply in map(json.loads, done.stdout.splitlines())}
    assert replies.keys() == {0, 1, 2}
    assert replies[0]["serverInfo"]["name"] == "aar"
    assert json.loads(replies[1]["content"][0]["text"])["stdout"] == "42\n"


@pytest.fixture
def server() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as started:
        try:
            yield started
        finally:
            started.kill()


def children(pid: int) -> set[int]:
    """All processes below one."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found |= {child} | children(child)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_a_signal_ends_it_in_order_with_a_client_that_waits_and_code_that_runs(
    server: subprocess.Popen[str],
) -> None:
    assert server.stdin
    assert server.stdout
    assert server.stderr
    server.stdin.write(written(*OPENING, call(1, "python_execute_code", code="while True: pass")))
    server.stdin.flush()
    assert json.loads(server.stdout.readline())["id"] == 0
    end = time.monotonic() + PATIENCE
    while not (running := children(server.pid)) and time.monotonic() < end:
        time.sleep(0.01)
    assert running
    server.send_signal(signal.SIGTERM)
    assert server.wait(PATIENCE) == 0
    assert server.stderr.read() == ""
    assert not any(Path(f"/proc/{pid}").exists() for pid in running)


def test_without_the_sdk_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "pytest_aar.tools.mcp_server", raising=False)
    monkeypatch.setitem(sys.modules, "mcp_types", None)
    done = CliRunner().invoke(aar, ["mcp"])
    assert isinstance(done.exception, ConfigurationError)
    assert "2.3 or newer: pip install 'pytest-aar[mcp]'" in str(done.exception)


def test_a_world_that_is_none_is_refused_with_the_choices() -> None:
    done = CliRunner().invoke(aar, ["mcp", "--world", "mars"])
    assert isinstance(done.exception, ConfigurationError)
    assert "'mars' is not valid; valid: sandbox, live, zim:PATH" in str(done.exception)


class FailingPython:
    """Runs no code; says what it was given, or that there is no sandbox."""

    async def run(self, code: str, *, timeout_seconds: float) -> PythonRun:
        if code == "no box":
            raise InfrastructureError("no walls can be put up")
        return PythonRun(stdout=code, stderr="", exit_code=0, isolation="weak", timed_out=False)


def in_process(*codes: str) -> list[tuple[bool, str]]:
    """What the server says to pieces of code."""

    async def said() -> list[tuple[bool, str]]:
        async with httpx.AsyncClient() as http:
            services = Services(http=http, endpoints=SANDBOX, python=FailingPython())
            server = server_over(services, Settings())
            async with mcp_client.Client(server) as client:
                given = [await client.call_tool("python_execute_code", {"code": c}) for c in codes]
        return [(bool(result.is_error), result.content[0].text) for result in given]

    return asyncio.run(said())


def test_a_problem_of_one_tool_is_its_result_and_the_others_work() -> None:
    (failed, problem), (failed_too, text) = in_process("no box", "fine")
    assert (failed, failed_too) == (True, False)
    assert json.loads(problem)["error"]["message"] == "no walls can be put up"
    assert json.loads(text)["stdout"] == "fine"


def test_a_key_that_a_service_repeats_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "a-key-of-the-users-9c31")
    ((_, text),) = in_process("key=a-key-of-the-users-9c31")
    assert "9c31" not in text


# The lines by themselves.


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        try:
            os.close(end)
        except OSError:
            continue  # the test has closed it


async def all_of(lines: Lines) -> list[str]:
    return [line async for line in lines]


def test_lines_come_whole_however_they_are_cut(pipe: tuple[int, int]) -> None:
    source, sink = pipe
    asked = "Zürich\n\n".encode() + b"x" * 200_000 + b"\nlast"

    def write() -> None:
        for start in range(0, len(asked), 7_001):
            os.write(sink, asked[start : start + 7_001])
        os.close(sink)

    writing = threading.Thread(target=write)
    writing.start()
    got = asyncio.run(all_of(Lines(source, Unanswered(), lambda _: None)))
    writing.join()
    assert got == ["Zürich", "", "x" * 200_000, "last"]


def test_a_line_that_is_no_message_is_told(
    pipe: tuple[int, int], capsys: pytest.CaptureFixture[str]
) -> None:
    source, sink = pipe
    os.write(sink, f"garbage\n\n{json.dumps(OPENING[1])}\n".encode())
    os.close(sink)
    asyncio.run(all_of(Lines(source, Unanswered(), tell_odd)))
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith(
        "aar: a line on standard input is no JSON-RPC message, and has no answer: 'garbage'; "
    )


def test_a_file_can_be_read_and_written_too(tmp_path: Path) -> None:
    asked, answers = tmp_path / "asked", tmp_path / "answers"
    asked.write_text("a\nb\n")
    with asked.open() as source, answers.open("w") as sink:

        async def both() -> list[str]:
            await Answers(sink.fileno(), Unanswered(), on_gone=lambda: None).write("c\n")
            return await all_of(Lines(source.fileno(), Unanswered(), lambda _: None))

        assert asyncio.run(both()) == ["a", "b"]
    assert answers.read_text() == "c\n"


@pytest.mark.parametrize(
    "answer",
    [
        ("out", {"jsonrpc": "2.0", "id": 1, "result": {}}),
        ("out", {"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "m"}}),
        ("in", {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
    ],
    ids=["result", "error", "cancelled"],
)
def test_the_end_waits_for_the_answer(answer: tuple[str, dict[str, Any]]) -> None:
    async def waited() -> None:
        unanswered = Unanswered()
        unanswered.read("no message")
        unanswered.read(json.dumps(request(1, "ping")))
        ending = asyncio.create_task(unanswered.none())
        unanswered.written(json.dumps({"jsonrpc": "2.0", "method": "notifications/message"}))
        await asyncio.sleep(0)
        assert not ending.done()
        way, message = answer
        (unanswered.written if way == "out" else unanswered.read)(json.dumps(message))
        await asyncio.wait_for(ending, PATIENCE)

    asyncio.run(waited())


def test_a_client_that_is_gone_ends_the_server(pipe: tuple[int, int]) -> None:
    source, sink = pipe
    os.close(source)
    gone: list[bool] = []
    answers = Answers(sink, Unanswered(), on_gone=lambda: gone.append(True))
    asyncio.run(answers.write("to nobody\n"))
    assert gone == [True]


def test_a_long_answer_can_be_cut_short_by_the_end(pipe: tuple[int, int]) -> None:
    _, sink = pipe  # nobody reads

    async def cut() -> bool:
        answers = Answers(sink, Unanswered(), on_gone=lambda: None)
        writing = asyncio.create_task(answers.write("x" * 1_000_000))
        for _ in range(100):
            await asyncio.sleep(0)
        writing.cancel()
        await asyncio.wait([writing])
        return writing.cancelled()

    assert asyncio.run(cut())
