"""Secrets planted everywhere in a race: no file below the project and no output holds any form of them."""

import base64
import gzip
import html
import inspect
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from loopback_servers import served

#: The model server's key, and one with characters that every way of writing changes.
MODEL_KEY = "planted-model-key-0123456789"
OTHER_KEY = 'pl4nted/S3cret+"key"<7>&é'
OPTION_KEY = "planted-option-value-42"


def forms(value: str) -> list[str]:
    """Nineteen ways of writing a secret, by hand: not by the code under test."""
    data = value.encode()
    once = json.dumps(value)[1:-1]
    twice = json.dumps(once)[1:-1]
    shifted = [base64.b64encode(before + data).decode() for before in (b"", b"k", b"ke")]
    return [
        value,
        once,
        json.dumps(value, ensure_ascii=False)[1:-1],
        twice,
        json.dumps(twice)[1:-1],
        once.replace("/", "\\/"),
        once.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"),
        quote(value, safe=""),
        quote(value),
        quote_plus(value),
        quote(quote(value, safe=""), safe=""),
        html.escape(value),
        html.escape(value, quote=False),
        json.dumps(html.escape(value))[1:-1],
        data.hex(),
        data.hex().upper(),
        *shifted,
    ]


#: An agent that says every form to the model, to a tool, in a dictionary's key, on stdout and in the log.
LEAKY = '''
import base64, html, json, logging, os, warnings
from urllib.parse import quote, quote_plus
from pytest_aar.errors import AgentCrashed

FORMS

MODEL = "openai/v1/chat/completions"


class Leaky:
    name = "leaky"
    needs_model = True

    def __init__(self, **options):
        self.options = options

    async def run(self, envelope, course, limits):
        said = [form for name in ("AAR_API_KEY", "PLANTED_TOKEN") for form in forms(os.environ[name])]
        for form in said:
            print(f"KEY={form}")
            logging.getLogger("leaky").warning("got %s", form)
            await course.http.post("tools/no_such_tool", json={"q": form, form: {"deep": [form]}})
            messages = [{"role": "user", "content": f"{self.options.get('say', 'printenv')}: {form}"}]
            await course.http.post(MODEL, json={"model": "m", "messages": messages, form: 1})
        return "3"


class Crash(Leaky):
    name = "leaky-crash"

    async def run(self, envelope, course, limits):
        said = " ".join(forms(os.environ["PLANTED_TOKEN"]))
        warnings.warn(f"beware of {said}", stacklevel=1)
        raise AgentCrashed(f"crashed with {said}") from ValueError(said)


class Once(Leaky):
    """Says one text to the model and one to a tool."""
    name = "once"

    async def run(self, envelope, course, limits):
        messages = [{"role": "user", "content": os.environ.get("LEAKY_SAY", "")}]
        body = {"model": "m", "messages": messages, "stream": "LEAKY_STREAM" in os.environ}
        await course.http.post(MODEL, json=body)
        await course.http.post("tools/no_such_tool", json={"q": os.environ.get("LEAKY_CALL", "")})
        return "3"
'''


class _EchoingModel(BaseHTTPRequestHandler):
    """Repeats the last message and the request's key; streams come four characters at a time."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = f"{body['messages'][-1]['content']} {self.headers['authorization']}"
        if body.get("stream"):
            pieces = [text[at : at + 4] for at in range(0, len(text), 4)]
            events = [{"choices": [{"index": 0, "delta": {"content": each}}]} for each in pieces]
            lines = [f"data: {json.dumps(event)}\n\n" for event in events]
            self._send("text/event-stream", "".join([*lines, "data: [DONE]\n\n"]))
            return
        message = {"role": "assistant", "content": text}
        reply = {"choices": [{"message": message, "finish_reason": "stop"}], text: "a key"}
        self._send("application/json", json.dumps(reply))

    def _send(self, kind: str, text: str) -> None:
        data = text.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("set-cookie", f"session={MODEL_KEY}")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Be quiet."""


@pytest.fixture
def model() -> Iterator[str]:
    with served(_EchoingModel) as port:
        yield f"http://127.0.0.1:{port}/v1"


@pytest.fixture
def planted(project, model: str, monkeypatch: pytest.MonkeyPatch):
    """The project with an agent that leaks, the secrets in the environment."""
    project.pytester.makepyfile(leaky=LEAKY.replace("FORMS", inspect.getsource(forms)))
    monkeypatch.setenv("AAR_API_KEY", MODEL_KEY)
    monkeypatch.setenv("PLANTED_TOKEN", OTHER_KEY)
    (project.path / "legs/dag/easy/002.json").unlink()

    def run(agent: str, *options: str, record: str = "all", results: str = "run"):
        return project.run(
            "legs",
            "--aar-model=m",
            f"--aar-base-url={model}",
            f"--aar-record={record}",
            f"--aar-results={results}",
            f"--junit-xml={results}.xml",
            "-rA",
            "--aar-infra-retries=0",
            "-o",
            "junit_logging=all",
            f"--aar-agent-option=api_key={OPTION_KEY}",
            *options,
            agent=f"leaky:{agent}",
        )

    project.race = run
    return project


def leaks(project, result: pytest.RunResult, *, extra: str = "") -> list[str]:
    """Where a form of a secret stands: files below the project, bodies unpacked, and both outputs."""
    texts = {"stdout": result.stdout.str().encode(), "stderr": result.stderr.str().encode()}
    for path in project.path.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            texts[str(path)] = gzip.decompress(data) if path.suffix == ".gz" else data
    needles = {needle for key in (MODEL_KEY, OTHER_KEY, OPTION_KEY) for needle in _needles(key)}
    needles |= {extra} - {""}
    return [
        f"{place}: {needle}"
        for place, data in texts.items()
        for needle in needles
        if needle.encode() in data
    ]


def _needles(key: str) -> list[str]:
    *plain, first, second, third = forms(key)
    # The outermost characters of base64 depend on the neighbours, too.
    return [*plain, *(coded[4:-4] for coded in (first, second, third))]


def test_nothing_that_is_kept_or_printed_holds_a_planted_secret(planted) -> None:
    recorded = planted.race("Leaky")
    recorded.assert_outcomes(passed=1)
    assert leaks(planted, recorded) == []
    (line,) = planted.races()
    assert line["model_calls"] == line["tool_calls"] == 38
    names = {path.suffix for path in (planted.path / "cassettes").rglob("*") if path.is_file()}
    assert names == {".json", ".gz"}
    trace = (planted.path / "run/traces/linear/easy/001.jsonl").read_text()
    assert trace.count("<redacted>") > 38
    assert '"api_key": "<redacted>"' in (planted.path / "run/run.json").read_text()
    assert "KEY=<redacted>" in recorded.stdout.str()
    assert "KEY=&lt;redacted&gt;" in (planted.path / "run.xml").read_text()

    replayed = planted.race("Leaky", record="none", results="replayed")
    replayed.assert_outcomes(passed=1)
    assert planted.races("replayed")[0]["replay"] == {"hits": 38, "misses": 0, "unplayed": 0}
    missed = planted.race(
        "Leaky", "--aar-agent-option=say=changed", record="none", results="missed"
    )
    missed.assert_outcomes(errors=1)
    missed.stdout.fnmatch_lines(["*now:*changed: <redacted>*"])
    assert leaks(planted, missed) == []


@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["alone", "worker"])
def test_messages_of_failures_are_redacted(planted, workers: tuple[str, ...]) -> None:
    result = planted.race("Crash", "--showlocals", "--full-trace", "-Walways", *workers)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines_random(
        ["*AgentCrashed: crashed with <redacted> *", "*beware of <redacted> *"]
    )
    assert leaks(planted, result) == []


AWS = "AKIA" + "Q7RZ" * 4
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLXNpZw"
WRAPPED = "\n".join(OTHER_KEY[at : at + 20] for at in range(0, len(OTHER_KEY), 20))


@pytest.mark.parametrize(
    ("text", "kind", "place"),
    [
        (AWS, "AWS access key", "LEAKY_CALL"),
        (AWS, "AWS access key", "LEAKY_SAY"),
        ("Authorization: Bearer a1b2c3d4e5f6g7h8i9j0k1", "bearer token", "LEAKY_SAY"),
        (JWT, "JSON web token", "LEAKY_SAY"),
        ("https://root:hunter2@db.internal/", "password in a URL", "LEAKY_SAY"),
        (WRAPPED, "the value of PLANTED_TOKEN", "LEAKY_SAY"),
    ],
    ids=["aws in a trace", "aws", "bearer", "jwt", "url", "wrapped"],
)
def test_what_can_not_be_redacted_is_refused(
    planted, monkeypatch: pytest.MonkeyPatch, text: str, kind: str, place: str
) -> None:
    """To the model: no cassette. To a tool: no trace. Either way the race is an error that says so."""
    monkeypatch.setenv(place, text)
    result = planted.race("Once")
    result.assert_outcomes(errors=1)
    (line,) = planted.races()
    assert (line["outcome"], line["error"]) == ("infrastructure", "SecretFound")
    refused = "once--m.partial" if place == "LEAKY_SAY" else "traces/linear/easy/001.jsonl"
    assert f"{refused}: not written, it would hold {kind}" in line["detail"]
    result.stdout.fnmatch_lines(["*not written, it would hold*"])
    assert not [path for path in planted.path.rglob(f"*{Path(refused).name}*") if path.is_file()]
    assert not list(planted.path.rglob("*.partial"))
    kept = [path for path in (planted.path / "cassettes").rglob("*") if path.is_file()]
    assert len(kept) == (0 if place == "LEAKY_SAY" else 4)
    assert leaks(planted, result, extra=text) == []


def test_a_stream_that_brings_a_key_in_small_pieces(
    planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A known one is redacted; one that is only shaped like a key is refused."""
    monkeypatch.setenv("LEAKY_STREAM", "yes")
    known = planted.race("Once", results="known")
    known.assert_outcomes(passed=1)
    assert leaks(planted, known) == []
    monkeypatch.setenv("LEAKY_SAY", AWS)
    unknown = planted.race("Once")
    unknown.assert_outcomes(errors=1)
    (line,) = planted.races()
    assert "would hold AWS access key" in line["detail"]
    assert leaks(planted, unknown, extra=AWS) == []


IMAGE = base64.b64encode(bytes(range(256)) * 40).decode()


def test_clean_text_and_pictures_are_kept(planted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEAKY_SAY", f"clean data:image/png;base64,{IMAGE}")
    monkeypatch.setenv("LEAKY_CALL", IMAGE)
    planted.race("Once").assert_outcomes(passed=1)
    bodies = planted.path / "cassettes/linear/easy/001/once--m.bodies.gz"
    assert IMAGE.encode() in gzip.decompress(bodies.read_bytes())
    assert IMAGE in (planted.path / "run/traces/linear/easy/001.jsonl").read_text()
