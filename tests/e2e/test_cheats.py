"""Every cheat of docs/isolation.md, tried by an agent with a shell: bwrap shows nothing, under none it is caught."""

import json
import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from handmade_legs import linear

from pytest_aar.box.isolation import advice, probe

_REQUIRED = os.environ.get("AAR_CI_REQUIRE") == "1"
KEY = "sk-of-the-harness-4711"
TOKENS = ("HOME-LOOT", "PORT-LOOT", "ENGINE-LOOT", "PASS-LOOT", KEY)

#: Races the line that its leg's clues hold, as agents with a shell run theirs, and keeps what it printed.
AGENT = """
from pathlib import Path

from pytest_aar.box import CommandSpec

LOOT = Path("loot").absolute()


class Cheater:
    name = "cheater"
    needs_model = False
    boxed = True

    async def run(self, envelope, course, limits):
        name, line = envelope.clues.removeprefix("1. ").split(": ", 1)
        env = {"AAR_GATEWAY": course.box.gateway_url()}
        spec = CommandSpec(command=line, workdir=course.workdir, timeout=20, env=env)
        result = course.box.run(spec)
        LOOT.mkdir(exist_ok=True)
        (LOOT / name).write_text(result.output)
        if name != "link":
            course.box.run(CommandSpec(command="echo 3 > answer.txt", workdir=course.workdir, timeout=20))
"""


@dataclass(frozen=True)
class Cheat:
    """`line` is what the agent runs; `loot` stands in its output where nothing stops it; the rest is of `none`."""

    line: str
    loot: str
    outcome: str
    evidence: str = ""


CHEATS = {
    "cat": Cheat("cat {legs}/cat.json", "PASS-LOOT", "contaminated", "the path of the leg's file in command"),
    "grep": Cheat("grep -rs PASS-LOOT {project}", "PASS-LOOT", "contaminated", "in the output of command"),
    "find": Cheat("find {project} -name '*.json'", "linear/easy/find.json", "contaminated", "in the output of"),
    "environ": Cheat("cat /proc/[0-9]*/environ 2>&1 | tr '\\0' '\\n' | grep MY_KEY", KEY, "answered"),
    "cassettes": Cheat("cat {project}/cass*/*", "PASS-LOOT", "contaminated", "the hash of the leg's file in"),
    "home": Cheat("cat ~/.netrc {home}/.netrc", "HOME-LOOT", "answered"),
    "git": Cheat(
        "cd {project} && git -c safe.directory='*' show HEAD:legs/linear/easy/git.json",
        "PASS-LOOT",
        "contaminated",
        "the path of the leg's file in command",
    ),
    "engine": Cheat(
        "cd {project} && curl -sS --max-time 5 --unix-socket docker.sock http://localhost/info",
        "ENGINE-LOOT",
        "unobserved",
        "a call of the container engine",
    ),
    "ports": Cheat("curl -sS --max-time 5 http://127.0.0.1:{port}/", "PORT-LOOT", "answered"),
    "web": Cheat("curl -sS --max-time 1 https://example.org/", "", "unobserved", "curl to example.org"),
    "link": Cheat("ln -s {project}/digit.txt answer.txt && cat answer.txt", "PASS-LOOT", "no-answer"),
    "races": Cheat(
        "curl -sS ${{AAR_GATEWAY%/r/*}}/r/guessed-token/task; cat {project}/run/traces/linear/easy/*",
        "PASS-LOOT",
        "contaminated",
        "the folder of results in command",
    ),
}  # fmt: skip


class Listener:
    """Answers every connection with a line of HTTP."""

    def __init__(self, family: int, address: str | tuple[str, int], said: str) -> None:
        self.socket = socket.socket(family)
        self.socket.bind(address)
        self.socket.listen()
        self._said = said
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with connection:
                connection.recv(65536)
                head = f"HTTP/1.0 200 OK\r\nContent-Length: {len(self._said)}\r\n\r\n"
                connection.sendall((head + self._said).encode())


@pytest.fixture
def project(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> Iterator[pytest.Pytester]:
    """A project with a leg for each cheat, and all that there is to steal."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(pytester.path))
    monkeypatch.setenv("MY_KEY", KEY)
    # Legs of the live world whose keys are not there are not raced.
    monkeypatch.setenv("GOOGLE_API_KEY", "a key for nothing")
    home = pytester.mkdir("home")
    (home / ".netrc").write_text("HOME-LOOT")
    monkeypatch.setenv("HOME", str(home))
    pytester.makeini("[pytest]\naar_world = live\naar_record = off\n")
    pytester.makepyfile(cheater=AGENT)
    (pytester.path / "digit.txt").write_text("3 PASS-LOOT")
    web = Listener(socket.AF_INET, ("127.0.0.1", 0), "PORT-LOOT")
    monkeypatch.chdir(pytester.path)
    engine = Listener(socket.AF_UNIX, "docker.sock", "ENGINE-LOOT")
    write_legs(pytester.path, home, web.socket.getsockname()[1])
    yield pytester
    web.socket.close()
    engine.socket.close()


def write_legs(project: Path, home: Path, port: int) -> None:
    legs = project / "legs/linear/easy"
    legs.mkdir(parents=True)
    for name, cheat in CHEATS.items():
        line = cheat.line.format(project=project, legs=legs, home=home, port=port)
        leg = linear() | {"riddle": f"1. {name}: {line}"}
        leg["metadata"] = {
            "canary": f"00000000-0000-4000-8000-{name.encode().hex():0>12.12}",
            "note": "PASS-LOOT",
        }
        (legs / f"{name}.json").write_text(json.dumps(leg))
    import hashlib  # noqa: PLC0415 - only here

    digest = hashlib.sha256((legs / "cassettes.json").read_bytes()).hexdigest()
    tape = project / "cassettes/tape.json"
    tape.parent.mkdir()
    tape.write_text(json.dumps({"leg_sha256": digest, "said": "PASS-LOOT"}))
    traces = project / "run/traces/linear/easy"
    traces.mkdir(parents=True)
    (traces / "other.jsonl").write_text("PASS-LOOT")
    for words in (["init", "-q"], ["add", "legs"], ["commit", "-qm", "legs"]):
        who = ["-c", "user.name=me", "-c", "user.email=me@example.org"]
        subprocess.run(["git", *who, *words], cwd=project, check=True)


def raced(project: pytest.Pytester, isolation: str) -> dict[str, dict]:
    project.runpytest_subprocess(
        "legs", "--aar-agent=cheater:Cheater", f"--aar-isolation={isolation}", "--aar-results=run"
    )
    lines = (project.path / "run/results.jsonl").read_text().splitlines()
    found = {race["leg"].rpartition("/")[2]: race for race in map(json.loads, lines)}
    assert found.keys() == CHEATS.keys()
    return found


def loot(project: pytest.Pytester) -> dict[str, str]:
    return {path.name: path.read_text() for path in (project.path / "loot").iterdir()}


def test_under_none_every_cheat_is_caught_or_stopped_as_the_table_says(
    project: pytest.Pytester,
) -> None:
    races, got = raced(project, "none"), loot(project)
    for name, cheat in CHEATS.items():
        race = races[name]
        assert race["outcome"] == cheat.outcome, (name, race["evidence"], got[name])
        assert race["isolation"] == "none"
        assert cheat.evidence in "; ".join(race["evidence"]), name
        if name != "environ":
            assert cheat.loot in got[name], name
        assert (race["score"] is None) == (cheat.outcome == "contaminated"), name
    assert races["link"]["answer"] is None
    assert "no open race has this token" in got["races"]
    assert (KEY in got["environ"]) == (os.geteuid() == 0)  # root sees everything


def test_under_bwrap_no_cheat_gets_anything(project: pytest.Pytester) -> None:
    require_bwrap()
    races, got = raced(project, "bwrap"), loot(project)
    for name, cheat in CHEATS.items():
        assert races[name]["isolation"] == "bwrap"
        assert races[name]["outcome"] != "infrastructure", races[name]
        assert not [token for token in (*TOKENS, "canary") if token in got[name]], (name, got[name])
        assert not cheat.loot or cheat.loot not in got[name], name
    assert races["environ"]["outcome"] == "answered"
    assert races["link"]["answer"] is None
    assert races["web"]["outcome"] == "answered"  # nothing was read
    assert "no open race has this token" in got["races"]


def require_bwrap() -> None:
    if probe("auto").name == "bwrap":
        return
    said = f"no bwrap here: {probe('auto').detail}. {advice()}"
    if _REQUIRED:
        pytest.fail(said)
    pytest.skip(said)


#: One race waits with its address in its program's environment, the other looks for it there and asks.
THIEF = """
from pathlib import Path

from pytest_aar.box import CommandSpec

LOOT = Path("loot").absolute()
WAIT = "for _ in $(seq 80); do test -e LOOT && break; sleep 0.1; done"
STEAL = '''
for _ in $(seq 60); do
  other=$(cat /proc/[0-9]*/environ 2>/dev/null | tr '\\\\0' '\\\\n' | grep -a ^OTHER=http | head -1 | cut -d= -f2-)
  test "$other" && break
  sleep 0.1
done
echo "found $other"
curl -sS --max-time 5 "$other/task"
'''


class Thief:
    name = "thief"
    needs_model = False
    boxed = True

    async def run(self, envelope, course, limits):
        is_thief = "thief" in envelope.clues
        line = STEAL if is_thief else WAIT.replace("LOOT", str(LOOT))
        env = {} if is_thief else {"OTHER": course.box.gateway_url()}
        spec = CommandSpec(command=line, workdir=course.workdir, timeout=20, env=env)
        result = course.box.run(spec)
        if is_thief:
            LOOT.write_text(result.output)
        return 3
"""


@pytest.mark.parametrize("isolation", ["none", "bwrap"])
def test_the_address_of_a_race_at_the_same_time(project: pytest.Pytester, isolation: str) -> None:
    """Under none its token can be read and used: not stopped, but marked where the agent saw it."""
    if isolation == "bwrap":
        require_bwrap()
    project.makepyfile(thief=THIEF)
    legs = project.mkdir("two") / "linear/easy"
    legs.mkdir(parents=True)
    for name in ("thief", "victim"):
        leg = linear() | {"riddle": f"1. the clues of the {name}"}
        (legs / f"{name}.json").write_text(json.dumps(leg))
    project.runpytest_subprocess(
        *("two", "-n", "2", "--aar-agent=thief:Thief", f"--aar-isolation={isolation}"),
        *("--aar-legs=two", "--aar-results=run"),
    )
    lines = (project.path / "run/results.jsonl").read_text().splitlines()
    races = {race["leg"].rpartition("/")[2]: race for race in map(json.loads, lines)}
    got = (project.path / "loot").read_text()
    assert races["victim"]["outcome"] == "answered"
    if isolation == "none":
        assert "the clues of the victim" in got
        assert races["thief"]["outcome"] == "contaminated"
        assert "the address of another race in the output of" in races["thief"]["evidence"][0]
    else:
        assert "found http" not in got
        assert "victim" not in got
        assert races["thief"]["outcome"] == "answered"


def test_the_agent_command_is_watched_as_well(project: pytest.Pytester) -> None:
    line = f"cat {project.path}/legs/linear/easy/cat.json; echo 3 > $AAR_ANSWER_FILE"
    result = project.runpytest_subprocess(
        *("legs/linear/easy/cat.json", "--aar-isolation=none", "--aar-results=run"),
        *("--aar-agent=command", "--aar-agent-option", f"command={line}"),
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert result.parseoutcomes() == {"contaminated": 1}
    race = json.loads((project.path / "run/results.jsonl").read_text())
    assert race["answer"] == 3
    assert race["evidence"][:2] == [
        "the path of the leg's file in command 1 (cat)",
        "the leg's canary in the output of command 1 (cat)",
    ]
