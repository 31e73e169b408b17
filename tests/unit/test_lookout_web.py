"""Which commands ask the network themselves."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_aar.lookout import Lookout, guid_needle, web_access
from pytest_aar.prompt import BY_COMMAND, OVER_HTTP

GATEWAY = "http://127.0.0.1:40123/r/token"

MARKED = [
    ("curl https://en.wikipedia.org/wiki/X", "curl to en.wikipedia.org"),
    ("curl -sSL -o out.html 'https://en.wikipedia.org/wiki/X' | head", "curl to en.wikipedia.org"),
    ("curl -H 'A: b' en.wikipedia.org/wiki/X", "curl to en.wikipedia.org"),
    ("cd x && /usr/bin/curl --max-time 5 https://a.org", "curl to a.org"),
    ("curl -O https://a.org/f.txt", "curl to a.org"),
    ("curl -d '{\"q\": 1}' -X POST http://a.org:8080/q", "curl to a.org"),
    ('URL="https://a.org/x"\ncurl -s "$URL?y=1"', "curl to a.org"),
    ("URL=https://a.org; curl ${URL}/x", "curl to a.org"),
    ("bash -lc 'wget -qO- https://a.org'", "wget to a.org"),
    ("X=$(curl -s https://a.org)", "curl to a.org"),
    ("wget -q -O page.html https://a.org/page", "wget to a.org"),
    ("http GET https://a.org x==1", "http to a.org"),
    ("https a.org", "https to a.org"),
    ("curl http://169.254.169.254/latest/meta-data", "curl to 169.254.169.254"),
    ("curl http://[2001:db8::1]/", "curl to 2001:db8::1"),
    ("python3 -c \"import requests; print(requests.get('https://a.org').text)\"", "requests to a.org"),
    ("python3 - <<'E'\nimport urllib.request as u\nu.urlopen('https://a.org/x').read()\nE", "urlopen to a.org"),
    ("python3 - <<'E'\nimport httpx\nurl = f'https://a.org/{1}'\nhttpx.get(url)\nE", "httpx to a.org"),
    (
        "python3 - <<'E'\nimport requests\nfor u in ['https://a.org/1']:\n    requests.get(u)\nE",
        "requests to a.org",
    ),
    (
        "python3 - <<'E'\nimport aiohttp\nasync with session.get('https://a.org') as r: pass\nE",
        "session to a.org",
    ),
    ("python3 -c 'import http.client as h; h.HTTPSConnection(\"a.org\")'", "HTTPSConnection to a.org"),
    ("python3 -c 'import httpx; c = httpx.Client(base_url=\"https://a.org\")'", "a client to a.org"),
    ("python3 -c 'import socket; socket.create_connection((\"a.org\", 80))'", "create_connection to a.org"),
    ("node -e 'fetch(\"https://a.org\").then(r => r.text())'", "fetch to a.org"),
    ("node -e 'fetch(`https://a.org/x`)'", "fetch to a.org"),
    ("node -e 'require(\"https\").get(\"https://a.org\"); https.get(\"https://a.org\")'", "https to a.org"),
    ("git clone https://a.org/x.git", "git to a.org"),
    ("git clone --depth 1 git@a.org:me/x.git", "git to a.org"),
    ("docker run --rm -v /:/host alpine cat /host/x", "a call of the container engine"),
    ("curl --unix-socket /var/run/docker.sock http://localhost/info", "a call of the container engine"),
]  # fmt: skip

HONEST = [
    "ls",
    "python3 tools.py fetch_webpage '{\"url\": \"https://en.wikipedia.org/wiki/X\"}'",
    "curl -s \"$AAR_GATEWAY/tools/fetch_webpage\" -d '{\"url\": \"https://en.wikipedia.org/wiki/X\"}'",
    f"curl -s {GATEWAY}/tools/fetch_webpage -d '{{\"url\": \"https://a.org\"}}'",
    "curl -s localhost:8000/x; curl http://127.0.0.1:9/; curl http://[::1]:80/; curl 0.0.0.0:1",
    "curl https://wiki.aar.test/wiki/Fresno",
    "curl --version && which wget && echo 'try curl https://a.org'",
    "grep -o 'https://a.org[^ ]*' page.txt | head",
    "echo 'see https://a.org' > notes; cat notes",
    "curl -o a.org.html $AAR_GATEWAY/task",
    "curl $UNKNOWN/x",
    "python3 - <<'E'\nimport os, requests\nr = requests.post(os.environ['AAR_GATEWAY'] + '/tools/fetch_webpage', "
    "json={'url': 'https://en.wikipedia.org/wiki/X'})\nE",
    "python3 - <<'E'\nimport os, urllib.request, json\nbase = os.environ['AAR_GATEWAY']\n"
    "req = urllib.request.Request(base + '/tools/x', data=json.dumps({'url': 'https://a.org'}).encode())\n"
    "urllib.request.urlopen(req)\nE",
    "python3 - <<'E'\nd = {'url': 'https://a.org'}\nprint(d.get('url'))\nE",
    "git log --oneline; git status; git init; git commit -m 'see https://a.org'",
    "git clone /tmp/x y; git clone file:///tmp/x",
    "cat https.txt; pip install httpie; man curl",
    "echo 7 > answer.txt",
]  # fmt: skip


@pytest.mark.parametrize(("command", "line"), MARKED)
def test_a_command_that_reads_the_web_is_marked(command: str, line: str) -> None:
    assert line in web_access(command, gateway=GATEWAY)


@pytest.mark.parametrize("command", [*HONEST, BY_COMMAND, OVER_HTTP])
def test_an_honest_command_is_not(command: str) -> None:
    assert web_access(command, gateway=GATEWAY) == ()


def test_the_gateway_itself_is_no_web_whatever_its_name() -> None:
    assert (
        web_access("curl http://box.gateway.org/r/x/task", gateway="http://box.gateway.org/r/x")
        == ()
    )


def test_marks_name_the_command() -> None:
    lookout = Lookout(watches_web=True)
    lookout.command("ls")
    lookout.command("curl https://a.org")
    lookout.command(("/bin/bash", "-lc", "wget https://b.org"))
    assert lookout.unobserved == (
        "curl to a.org in command 2 (curl)",
        "wget to b.org in command 3 (bash)",
    )
    assert lookout.contaminated == ()


def test_a_prompt_among_a_programs_arguments_is_no_command() -> None:
    lookout = Lookout(watches_web=True)
    lookout.command(("codex", "exec", "use curl https://a.org and requests.get('https://a.org')"))
    assert lookout.unobserved == ()
    lookout.command(("curl", "https://a.org"))
    assert lookout.unobserved == ("curl to a.org in command 2 (curl)",)


def test_where_there_is_no_network_nothing_is_marked() -> None:
    lookout = Lookout()
    lookout.command("curl https://a.org")
    lookout.tool(
        "python_execute_code", {"code": "import requests; requests.get('https://a.org')"}, ""
    )
    assert lookout.unobserved == ()


COMMAND = "curl -s https://a.org/x"
CALL = json.dumps({"command": COMMAND})


def events(values: list[dict]) -> bytes:
    return b"".join(b"data: " + json.dumps(value).encode() + b"\n\n" for value in values)


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps(
            {"choices": [{"message": {"tool_calls": [{"function": {"name": "bash", "arguments": CALL}}]}}]}
        ).encode(),
        json.dumps({"content": [{"type": "tool_use", "name": "Bash", "input": {"command": COMMAND}}]}).encode(),
        json.dumps({"output": [{"type": "function_call", "arguments": json.dumps({"cmd": COMMAND})}]}).encode(),
        json.dumps({"output": [{"arguments": json.dumps({"command": ["bash", "-lc", COMMAND]})}]}).encode(),
        events(
            [
                {"delta": {"type": "input_json_delta", "partial_json": CALL[at : at + 3]}}
                for at in range(0, len(CALL), 3)
            ]
        ),
        events(
            [
                {"type": "response.function_call_arguments.delta", "delta": CALL[at : at + 4]}
                for at in range(0, len(CALL), 4)
            ]
        ),
    ],
    ids=["chat", "messages", "responses", "argv", "messages stream", "responses stream"],
)  # fmt: skip
def test_commands_are_seen_in_what_the_model_asks_for(reply: bytes) -> None:
    """CLIs run their commands themselves: the box sees only the CLI."""
    lookout = Lookout(watches_web=True)
    lookout.replied(reply, streamed=b"data: " in reply)
    assert lookout.unobserved == ("curl to a.org in a command of the model's",)


def test_text_of_a_reply_is_no_command() -> None:
    lookout = Lookout(watches_web=True)
    said = f"I could run `{COMMAND}` or requests.get('https://a.org'), but I must not."
    lookout.replied(json.dumps({"choices": [{"message": {"content": said}}]}).encode())
    lookout.asked(json.dumps({"messages": [{"content": said}]}).encode())
    assert lookout.unobserved == ()


def test_code_of_the_python_tool_counts_where_it_has_a_network() -> None:
    lookout = Lookout(watches_web=True)
    code = "import urllib.request\nurllib.request.urlopen('https://a.org')"
    lookout.tool("python_execute_code", {"code": code}, "")
    lookout.tool("python_execute_code", {"code": ["no code"]}, "")
    assert lookout.unobserved == ("urlopen to a.org in the tool python_execute_code",)


def test_the_documented_agents_are_honest() -> None:
    examples = Path(__file__).parents[2] / "examples"
    for path in (*examples.glob("*.sh"), *examples.glob("*.py")):
        assert web_access(path.read_text()) == (), path.name


@pytest.mark.parametrize(
    "command",
    [
        "curl " * 40_000,
        "git " * 50_000,
        "docker " + " " * 200_000,
        "requests.get(" + " " * 200_000,
        "requests.get(x)" * 13_000 + " https://wiki.aar.test",
        "urllib " + "a" * 200_000,
        'curl "' + '\\"' * 100_000,
        "curl " + "'" * 200_000,
        "requests " + "x = " * 50_000,
        "bash -c " * 25_000 + "curl",
    ],
    ids=lambda command: command[:14],
)
def test_no_command_holds_the_lookout_up(command: str) -> None:
    """The machine of a test may be busy; what goes wrong here takes minutes."""
    start = time.thread_time()
    web_access(command, gateway=GATEWAY)
    lookout = Lookout(watches_web=True)
    lookout.replied(
        json.dumps({"arguments": json.dumps({"command": command})}).encode(), streamed=True
    )
    assert time.thread_time() - start < 3


@given(
    st.text(max_size=200), st.sampled_from(["curl ", "git clone ", "requests.get(", "fetch(", ""])
)
def test_no_text_breaks_the_lookout(text: str, before: str) -> None:
    needle = guid_needle("8c224261-a9b4-5810-8663-9deb374ec5dc", "")
    assert needle is not None
    lookout = Lookout([needle], watches_web=True)
    lookout.output(text, lookout.command(before + text))
    lookout.command((before.strip(), text))
    lookout.asked((before + text).encode("utf-8", "surrogatepass"))
    lookout.replied(text.encode("utf-8", "surrogatepass"), streamed=True)
    lookout.tool(text, {"code": before + text}, text)
    assert lookout.contaminated == ()
