import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from click.testing import CliRunner, Result
from stamina.instrumentation import get_on_retry_hooks, set_on_retry_hooks

from pytest_aar.cli.mcp import command as mcp
from pytest_aar.cli.tool import command
from pytest_aar.errors import ConfigurationError
from pytest_aar.tools import TOOL_NAMES, TOOLS


def run(*words: str, text: str | None = None) -> Result:
    return CliRunner().invoke(command, words, input=text)


def test_without_a_name_the_tools_are_listed_in_eighty_columns() -> None:
    done = run()
    assert done.exit_code == 0
    lines = done.output.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines if line[:3].strip() and line[0] == " "] == list(
        TOOL_NAMES
    )
    assert [line for line in lines if line[0] != " "] == list(
        dict.fromkeys(tool.category for tool in TOOLS)
    )
    assert " ".join(done.output.split()).count(TOOLS[0].description) == 1


def test_the_schema_of_a_tool() -> None:
    done = run("maps_geocode", "--schema")
    assert json.loads(done.output)["required"] == ["address"]


def test_a_call_in_the_sandbox() -> None:
    done = run("python_execute_code", '{"code": "print(6 * 7)"}')
    assert done.exit_code == 0
    assert json.loads(done.output)["stdout"] == "42\n"


def test_an_error_result_is_exit_code_one() -> None:
    done = run("maps_geocode", "-", text='{"adress": "Lima"}')
    assert done.exit_code == 1
    assert json.loads(done.output)["error"]["kind"] == "bad_arguments"


LIVE = ("maps_geocode", '{"address": "Lima"}', "--world", "live")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--services", "wikipedai=http://x.test"),
         "--services: 'wikipedai' is no service (did you mean wikipedia?); valid: wikipedia"),
        (("--services", "foo"),
         "--services: 'foo' is not valid; valid: SERVICE=URL with one of the services wikipedia, "),
        (("--limits", "foo"),
         "--limits: 'foo' is not valid; valid: SERVICE=LIMITS with one of the services wikipedia, "),
        (("--world", "zim:"), "--world: 'zim:' is not valid; valid: sandbox, live, zim:PATH"),
        (("--wiki-at", "2027-13-01"), "--wiki-at: '2027-13-01' is not valid; valid: a day (2026-03-20), or a time"),
        (("--limits", "wikipedia=lots"), "--limits: 'lots' is not valid; valid: N/s, N/min"),
        (("--limits", "wiki=1/s"), "--limits: 'wiki' has no limits (did you mean wikipedia?)"),
        (("--limits", "map=1/s"), "--limits: 'map' has no limits (did you mean maps?); valid: wikipedia"),
        (("--wiki-at", "soon"), "--wiki-at: 'soon' is not valid; valid: a day (2026-03-20)"),
        (("--wiki-at", "generated"), "--wiki-at: 'generated' is a leg's time, and no leg is raced here"),
        (("--wiki-at", "2026-03-20", "--services", "wikipedia=kiwix+http://x.test"), "--wiki-at: a Kiwix server has"),
        (("--wiki-at", "2026-03-20", "--world", "zim:w.zim"), "--wiki-at: '2026-03-20' is about the live services"),
        (("--limits", "maps=1/s", "--world", "sandbox"), "and --world is sandbox: add --world live"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("start", [LIVE, ("mcp", "--world", "live")], ids=["tool", "mcp"])
def test_options_of_live_services_are_read_as_pytests_are(
    start: tuple[str, ...], words: tuple[str, ...], said: str
) -> None:
    program = mcp if start[0] == "mcp" else command
    given = start[1:] if program is mcp else start
    done = CliRunner().invoke(program, [*given, *words])
    assert said in str(done.exception)


@pytest.fixture
def retry_hooks() -> Iterator[None]:
    hooks = get_on_retry_hooks()
    yield
    set_on_retry_hooks(hooks)


@pytest.mark.usefixtures("retry_hooks")
def test_the_options_reach_the_service_and_retries_are_told_in_words() -> None:
    def answer(text: str) -> bytes:
        head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(text)}"
        return f"{head}\r\nconnection: close\r\n\r\n{text}".encode()

    busy = b"HTTP/1.1 503 Busy\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    page = {"title": "Lima", "revisions": [{"revid": 7, "timestamp": "2026-01-02T03:04:05Z"}]}
    found = answer(json.dumps({"query": {"pages": [page]}}))
    text = answer(json.dumps({"parse": {"title": "Lima", "text": "<p>A city.</p>", "revid": 7}}))
    with answering([busy, found, text]) as (port, asked):
        done = run(
            "fetch_webpage",
            '{"url": "https://en.wikipedia.org/wiki/Lima"}',
            *("--world", "live", "--limits", "wikipedia=off", "--wiki-at", "2026-03-20"),
            *("--services", f"wikipedia=http://127.0.0.1:{port}/w/api.php"),
        )
    assert (done.exit_code, "A city." in done.stdout) == (0, True), done.output
    assert "rvstart=2026-03-20T23%3A59%3A59Z" in asked[1]
    assert re.fullmatch(
        r"aar: Wikipedia answered HTTP 503 at 127\.0\.0\.1: next try in \d+\.\d s\n", done.stderr
    )


@contextmanager
def answering(replies: list[bytes]) -> Iterator[tuple[int, list[str]]]:
    """A server on the loopback that gives these replies, one a connection; what it was asked."""
    asked: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            for reply in replies:
                connection, _ = server.accept()
                with connection:
                    asked.append(connection.recv(65536).decode())
                    connection.sendall(reply)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1], asked
        thread.join(10)


def test_wrong_json_and_wrong_names_are_usage_errors() -> None:
    assert "not JSON" in str(run("maps_geocode", "{").exception)
    for text in (b'{"address": "Per\xfa"}', b"[" * 100_000):
        found = CliRunner().invoke(command, ["maps_geocode", "-"], input=text).exception
        assert isinstance(found, ConfigurationError)
        assert "not JSON" in str(found)
    assert "valid: fetch_webpage" in str(run("maps_geo", "--schema").exception)
    for wrong in ("mars", "auto"):
        assert "valid: sandbox, live, zim:PATH" in str(
            run("maps_geocode", "{}", "--world", wrong).exception
        )
