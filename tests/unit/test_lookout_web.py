"""Which commands ask the network themselves."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_aar.lookout import Lookout, code_access, guid_needle, web_access
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
    ("curl -s en.wikipedia.org", "curl to en.wikipedia.org"),
    ("curl -s a.org/page.html", "curl to a.org"),
    ("sudo -u me timeout -k 5 30 curl -s https://a.org", "curl to a.org"),
    ("A=1 env -u X B=2 nohup wget https://a.org &", "wget to a.org"),
    ("if curl -sf https://a.org; then echo yes; fi", "curl to a.org"),
    ("! { time curl https://a.org; }", "curl to a.org"),
    ("for u in https://a.org/1 https://a.org/2; do curl -s \"$u\"; done", "curl to a.org"),
    ("cat x | while read u; do curl -s https://a.org/$u; done < x", "curl to a.org"),
    ("echo https://a.org | xargs -n 1 curl -s", "curl to a.org"),
    ("cat <(curl -s https://a.org)", "curl to a.org"),
    ("echo \"got $(curl -s \"https://a.org/$(date)\")\"", "curl to a.org"),
    ("echo `curl -s https://a.org`", "curl to a.org"),
    ("HOST=a.org; export U=https://$HOST/x; curl $U", "curl to a.org"),
    ("curl -s \"https://${lang}.wikipedia.org/wiki/X\"", "curl to _.wikipedia.org"),
    ("eval 'curl https://a.org'", "curl to a.org"),
    ("bash <<'E'\ncurl https://a.org\nE", "curl to a.org"),
    ("bash -o pipefail -c \"sh -c 'curl https://a.org'\"", "curl to a.org"),
    ("cat > get.sh <<'E'\ncurl https://a.org\nE\nsh get.sh", "curl to a.org"),
    ("cat <<'E' > get.py\nimport requests\nrequests.get('https://a.org')\nE", "requests to a.org"),
    ("tee get.py <<'E'\nimport requests\nrequests.get('https://a.org')\nE", "requests to a.org"),
    ("cat <<'E' | python3 -u\nimport requests\nrequests.get('https://a.org')\nE", "requests to a.org"),
    ("python3 <<< \"import requests; requests.get('https://a.org')\"", "requests to a.org"),
    ("python3 -c 'from urllib.request import urlopen as o; o(\"https://a.org\")'", "urlopen to a.org"),
    ("python3 -c 'import requests as r; s = r.Session(); s.get(\"https://a.org\")'", "s to a.org"),
    ("python3 - <<'E'\nimport httpx\nwith httpx.Client() as c:\n    c.post('https://a.org')\nE", "c to a.org"),
    ("python3 -c 'import pandas as pd; pd.read_html(\"https://a.org/t\")'", "read_html to a.org"),
    (
        "python3 - <<'E'\nimport requests\nrequests.get(f'https://{lang}.wikipedia.org/w')\nE",
        "requests to _.wikipedia.org",
    ),
    ("python3 -c 'import os; os.system(\"curl https://a.org\")'", "curl to a.org"),
    ("python3 -c 'import subprocess; subprocess.run([\"curl\", \"https://a.org\"])'", "curl to a.org"),
    ("nc a.org 80 < request", "nc to a.org"),
    ("find . -exec curl https://a.org \\;", "curl to a.org"),
    ("parallel -j 2 curl ::: https://a.org", "curl to a.org"),
    ("mkdir -p x && cat <<E >x/get.sh && bash x/get.sh\nwget https://a.org\nE", "wget to a.org"),
    ("printf x | openssl s_client -connect a.org:443", "openssl to a.org"),
    ("exec 3<>/dev/tcp/a.org/80", "the shell to a.org"),
    ("uv run -p 3.11 python -c \"import requests; requests.get('https://a.org')\"", "requests to a.org"),
    ("busybox wget https://a.org", "wget to a.org"),
    (
        "python3 -c \"import urllib.request as u\nfor x in {'a': 'https://a.org'}.values(): u.urlopen(x)\"",
        "urlopen to a.org",
    ),
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
    "grep -c links page.html",
    "grep -n curl notes.txt",
    "grep -o http page.html | head; sed -n 's/links/x/p' page.html; awk '/links/ {print}' links page.html",
    "sort links data.csv; rm -f links page.txt; cat links.txt",
    "python3 tools.py search x > links out.txt",
    "command -v curl jq.sh; which curl wget python3.11; type curl notes.txt; dpkg -l wget curl python3.11",
    "sudo -n grep curl notes.txt; timeout 5 grep http en.wikipedia.org.html; env grep links rome.it",
    "cat > notes.md <<EOF\nthe town links rome.it to the sea\nsee http en.wikipedia.org\ncurl https://a.org\nEOF",
    "cat <<EOF\ncurl https://a.org\n$(date)\nEOF",
    "python3 tools.py fetch_webpage --url 'https://en.wikipedia.org/wiki/Docker' | grep 'docker run'",
    "echo 'docker run is a command'; echo git clone https://a.org; printf '%s' \"requests.get is python\"",
    "lynx -dump page.html; w3m notes.md; links page.txt; curl -K x.cfg page.html",
    "# curl https://a.org\nls # wget https://a.org",
    "python3 - <<'E'\nfrom urllib.parse import quote\nfrom collections import Counter\n"
    "base = 'https://en.wikipedia.org/wiki/'\nc = Counter(words)\nprint(c.get(w), quote(base))\nE",
    "python3 - <<'E'\nimport urllib.parse as u\ns = {'a': 1}\nprint(s.get(k), u.quote('https://a.org/X'))\nE",
    "python3 -c \"client = {}; print(client.get('README.md'))\"",
    "python3 - <<'E'\nimport requests\nsession = {'https://a.org': 1}\nprint(session.get('https://a.org'))\nE",
    "python3 - <<'E'\nimport json\ndef fetch(url):\n    return call('fetch_webpage', url=url)\n"
    "print(fetch('https://en.wikipedia.org/wiki/X'))\nE",
    "python3 - <<'E'\n# requests.get('https://a.org')\nimport requests\nprint('https://a.org')\nE",
    "python3 - <<'E'\nimport sys, requests\nbase = sys.argv[1]\n"
    "requests.post(f'{base}/tools/fetch_webpage', json={'url': 'https://a.org'})\nE",
    "python3 - <<'E'\nimport sys, requests\n"
    "requests.post(sys.argv[1], json={'url': 'https://a.org', 'section': 1})\nE",
    "python3 x.py <<'E'\nimport requests; requests.get('https://a.org')\nE",
    "python3 -c \"import socket; socket.create_connection(('127.0.0.1', 80)); print('https://a.org')\"",
    "python3 - <<'E'\nimport requests\ndef tool(name, **of):\n    return requests.post(URL + name, json=of).text\n"
    "print(tool('search', url='https://a.org'), tool('fetch_webpage', 'https://a.org'))\nE",
    "curl -s \"${AAR_GATEWAY:?not set}/tools/fetch_webpage\" -d @- <<E\n{'url': 'https://a.org'}\nE",
    "find . -name curl -exec cat {} \\;; echo https://a.org | xargs -I{} python3 tools.py fetch_webpage {}",
    "function links() { cat rome.it; }; links rome.html; case $x in links) echo a.org;; esac",
    "A=1; > x; A=1 > x.py <<E\nE\nfind . -name links; openssl dgst -sha256 page.html; exec 3<>/dev/tcp/127.0.0.1/80",
    "git log -p fetch; git archive notes.md; git -C x fetch",
    "curl -s \"http://127.0.0.1:${PORT}/task\"; nc -z localhost 80; apt list curl | head",
]  # fmt: skip


@pytest.mark.parametrize(("command", "line"), MARKED)
def test_a_command_that_reads_the_web_is_marked(command: str, line: str) -> None:
    assert line in web_access(command)


@pytest.mark.parametrize("command", [*HONEST, BY_COMMAND, OVER_HTTP])
def test_an_honest_command_is_not(command: str) -> None:
    assert web_access(command) == ()


def on_the_web(ran: str = "none") -> Lookout:
    lookout = Lookout(watches_web=True)
    lookout.ran(ran)
    return lookout


def test_marks_name_the_command() -> None:
    lookout = on_the_web()
    lookout.command("ls")
    lookout.command("curl https://a.org")
    lookout.command(("/bin/bash", "-lc", "wget https://b.org"))
    assert lookout.unobserved == (
        "curl to a.org in command 2 (curl)",
        "wget to b.org in command 3 (bash)",
    )
    assert lookout.contaminated == ()


def test_a_prompt_among_a_programs_arguments_is_no_command() -> None:
    lookout = on_the_web()
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
    lookout = on_the_web()
    lookout.replied(reply, streamed=b"data: " in reply)
    assert lookout.unobserved == ("curl to a.org in a command of the model's",)


def test_text_of_a_reply_is_no_command() -> None:
    lookout = on_the_web()
    said = f"I could run `{COMMAND}` or requests.get('https://a.org'), but I must not."
    lookout.replied(json.dumps({"choices": [{"message": {"content": said}}]}).encode())
    lookout.asked(json.dumps({"messages": [{"content": said}]}).encode())
    assert lookout.unobserved == ()


CODE = "import urllib.request\nurllib.request.urlopen('https://a.org')"


def test_code_of_the_python_tool_counts_where_it_has_a_network() -> None:
    lookout = Lookout(watches_web=True)
    lookout.tool("python_execute_code", {"code": CODE}, "", isolation="bwrap")
    asked = json.dumps({"name": "python_execute_code", "arguments": json.dumps({"code": CODE})})
    lookout.replied(asked.encode())
    assert (lookout.unobserved, lookout.reaches_files) == ((), False)
    lookout.tool("python_execute_code", {"code": CODE}, "", isolation="weak")
    lookout.tool("python_execute_code", {"code": ["no code"]}, "", isolation="weak")
    assert lookout.unobserved == ("urlopen to a.org in the tool python_execute_code",)
    assert lookout.reaches_files


@pytest.mark.parametrize(
    ("ran", "marks"), [("none", 2), ("weak", 0), ("bwrap", 0), ("in-process", 0)]
)
def test_commands_count_where_they_ran_with_a_network(ran: str, marks: int) -> None:
    lookout = on_the_web(ran)
    lookout.command(COMMAND)
    lookout.replied(json.dumps({"arguments": CALL}).encode())
    assert len(lookout.unobserved) == marks


@pytest.mark.parametrize(
    ("command", "stdin", "marked"),
    [
        ("bash", COMMAND, True),
        (("bash", "-s"), COMMAND, True),
        (("/usr/bin/python3", "-"), CODE, True),
        ("cat > get.sh", COMMAND, True),
        ("cat", COMMAND, False),
        (("my-agent", "--go"), COMMAND, False),
        ("bash agent.sh", COMMAND, False),
    ],
)
def test_what_is_typed_into_a_command_counts_where_it_is_run(command, stdin, marked) -> None:
    lookout = on_the_web()
    lookout.command(command, stdin=stdin)
    assert bool(lookout.unobserved) == marked


def test_the_documented_agents_are_honest() -> None:
    examples = Path(__file__).parents[2] / "examples"
    for path in (*examples.glob("*.sh"), *examples.glob("*.py")):
        assert web_access(path.read_text()) == (), path.name
        assert code_access(path.read_text()) == (), path.name


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
        "curl $(" * 30_000,
        'curl "$(' * 25_000,
        "curl `" * 30_000,
        "curl <<E\n" * 20_000,
        "curl | " * 30_000,
        "A=$A$A curl $A; " * 12_000,
        "exec([" * 30_000 + "curl",
        "exec('''" * 25_000 + "curl",
        "import a, " * 20_000 + "requests",
        "with requests.Session(" * 9_000,
        "requests.get(f'{" * 12_000,
        "x" * 190_000 + " = requests",
        "curl\u2003" * 30_000,
        "cat <<E" + " | python3" * 900 + "\nrequests.get(x)\n" * 10_000,
    ],
    ids=lambda command: command[:14],
)
def test_no_command_holds_the_lookout_up(command: str) -> None:
    """The machine of a test may be busy; what goes wrong here takes minutes."""
    start = time.thread_time()
    web_access(command)
    code_access(command)
    web_access("bash;" * 1000, stdin=command)
    lookout = Lookout(watches_web=True)
    lookout.replied(
        json.dumps({"arguments": json.dumps({"command": command})}).encode(), streamed=True
    )
    assert time.thread_time() - start < 6


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
    lookout.tool(text, {"code": before + text}, text, isolation="weak")
    assert lookout.contaminated == ()
