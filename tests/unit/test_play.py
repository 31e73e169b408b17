"""`aar play`: a person's race, over a pipe and over a terminal."""

import json
import math
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from little_world import LEG as LITTLE
from little_world import gateway

from pytest_aar.agents import make_agent
from pytest_aar.agents.human import HumanAgent, Player
from pytest_aar.agents.human.completion import completions
from pytest_aar.agents.human.moves import Command, ToolMove, arguments_of, parse
from pytest_aar.agents.human.pages import Pager, fitted, harmless, readable
from pytest_aar.agents.human.texts import clock, error_text
from pytest_aar.agents.human.typed import BadLine
from pytest_aar.cli.play import command
from pytest_aar.errors import ConfigurationError, LegError
from pytest_aar.leg_file import read_leg
from pytest_aar.race import Race, Track
from pytest_aar.results import read_races, read_trace
from pytest_aar.settings import Settings
from pytest_aar.tools import TOOLS, tool_named
from pytest_aar.trace import Finish

ROOT = Path(__file__).parents[2]
LEG = ROOT / "tests/fixed/legs/linear/easy/001.json"
ROUTE = (
    "fetch_webpage url=https://wiki.aar.test/wiki/Fresno",
    "countries_area United States",
    "fetch_webpage /wiki/California",
    "maps_geocode Fresno",
    'maps_geocode {"address": "Los Angeles"}',
    "maps_distance_matrix origins=Fresno destinations='Los Angeles'",
)


def tool(name: str):  # type: ignore[no-untyped-def]
    found = tool_named(name)
    assert found is not None
    return found


def play(results: Path, *lines: str, options: tuple[str, ...] = (), leg: Path = LEG) -> Result:
    words = [str(leg), "--results", str(results), *options]
    text = "".join(f"{line}\n" for line in lines)
    # the size that pages are cut to: workers of pytest-xdist have a width of their own
    return CliRunner(env={"COLUMNS": "100", "LINES": "40"}).invoke(command, words, input=text)


# Lines


@pytest.mark.parametrize(
    ("name", "text", "arguments"),
    [
        (
            "fetch_webpage",
            "url=https://x.test/?a=b raw_html=yes offset=10",
            {"url": "https://x.test/?a=b", "raw_html": True, "offset": 10},
        ),
        (
            "fetch_webpage",
            "https://x.test/wiki/Côte_d'Ivoire",
            {"url": "https://x.test/wiki/Côte_d'Ivoire"},
        ),
        ("fetch_webpage", "url=x section=2", {"url": "x", "section": "2"}),
        ("countries_area", "New Zealand", {"country": "New Zealand"}),
        ("countries_area", '"New Zealand"', {"country": "New Zealand"}),
        ("countries_area", "country=New Zealand", {"country": "New Zealand"}),
        ("python_execute_code", 'print("a")', {"code": 'print("a")'}),
        (
            "python_execute_code",
            "code='x=1; print(x)' timeout_seconds=1.5",
            {"code": "x=1; print(x)", "timeout_seconds": 1.5},
        ),
        ("maps_reverse_geocode", "lat=1.5 lng=-2", {"lat": 1.5, "lng": -2}),
        (
            "weather_historical",
            "date=2020-01-01 select=a;b latitude=1 longitude=2",
            {"date": "2020-01-01", "select": ["a", "b"], "latitude": 1, "longitude": 2},
        ),
        (
            "maps_elevation",
            "locations=48.85,2.35 locations=1,2",
            {"locations": ["48.85,2.35", "1,2"]},
        ),
        (
            "maps_distance_matrix",
            'origins=\'["Lima, Peru"]\' destinations="Cusco; Ica"',
            {"origins": ["Lima, Peru"], "destinations": ["Cusco", "Ica"]},
        ),
        (
            "maps_search_places",
            'query=cafés location=\'{"latitude": 1, "longitude": 2}\'',
            {"query": "cafés", "location": {"latitude": 1, "longitude": 2}},
        ),
        ("maps_geocode", '{"address": "Lima"}', {"address": "Lima"}),
        ("maps_geocode", "", {}),
    ],
)
def test_arguments_as_people_type_them(name: str, text: str, arguments: object) -> None:
    assert arguments_of(tool(name), text) == arguments


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("fetch_webpge x", "did you mean fetch_webpage?"),
        ("x" * 5000, "help lists the commands"),
        ("maps_geocode {", "no JSON object"),
        ('maps_geocode {"a": ' + "[" * 100_000, "no JSON object|nested too deeply"),
        ("maps_geocode adress=Lima", "has no argument 'adress'; it takes address"),
        ("maps_geocode address='Lima", "quotation mark is left open"),
        ("maps_geocode address=a address=b", "address is given twice"),
        ("maps_directions Lima", "name the arguments: maps_directions origin=... destination=..."),
        ("fetch_webpage url=x offset=ten", "offset: expected a number, got 'ten'"),
        ("fetch_webpage url=x raw_html=maybe", "raw_html: expected true or false"),
        ("weather_forecast latitude=1 longitude=2 select=[a", "select: not JSON"),
    ],
)
def test_a_line_that_is_no_move_says_what_is_wrong(line: str, message: str) -> None:
    with pytest.raises(BadLine, match=message.replace("?", r"\?").replace("...", r"\.\.\.")):
        parse(line)


def test_commands_and_tools_are_told_apart() -> None:
    assert parse("  ANSWER 7 ") == Command(name="answer", rest="7")
    move = parse("serper_search Lima")
    assert isinstance(move, ToolMove)
    assert (move.tool.name, move.arguments) == ("web_search", {"query": "Lima"})


def test_completion_offers_commands_tools_arguments_and_values() -> None:
    assert completions("", "fe") == ["fetch_webpage "]
    assert completions("", "not") == ["note ", "notes "]
    assert completions("help ", "maps_g") == ["maps_geocode"]
    assert completions("fetch_webpage url=x ", "") == ["section=", "offset=", "raw_html="]
    assert completions("maps_directions ", "mode=d") == ["mode=driving "]
    assert completions("fetch_webpage ", "raw_html=") == ["raw_html=true ", "raw_html=false "]
    assert completions("nothing ", "x") == []
    assert completions("note some ", "x") == []


# Pages


def test_a_long_result_comes_page_by_page() -> None:
    pager = Pager(width=40, height=13)
    assert pager.more() == "(there is no result yet)"
    first = pager.open("\n".join(f"line {number}" for number in range(25)))
    assert first.splitlines()[0] == "line 0"
    assert first.splitlines()[-1] == "-- lines 1-10 of 25, page 1 of 3: more, page N, find TEXT --"
    assert pager.more().splitlines()[0] == "line 10"
    assert (
        pager.page(3).splitlines()[-1] == "-- lines 21-25 of 25, page 3 of 3: page N, find TEXT --"
    )
    assert pager.more() == "(the last result has 3 pages)"
    assert pager.page(1) == first
    assert pager.find("LINE 24") == "p.   3  line 24"
    assert "does not hold 'zzz'" in pager.find("zzz")
    assert pager.find("line").splitlines()[-1] == "(and 5 lines more)"


def test_long_lines_are_broken_between_words_and_keep_every_character() -> None:
    text = "  " + " ".join(f"word{number}" for number in range(50)) + "\n" + "x" * 95
    lines = fitted(text, 40)
    assert max(map(len, lines)) <= 40
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_a_page_can_not_move_the_cursor() -> None:
    assert (
        harmless("a\x1b[2Jb\rc\x9bd\u202ee\u00a0é東\t\n") == "a\\x1b[2Jb\\rc\\x9bd\\u202ee é東\t\n"
    )
    assert readable('{"a": "é"}') == '{\n  "a": "é"\n}'
    assert readable("[link] and text") == "[link] and text"


def test_times_and_errors_in_words() -> None:
    assert [clock(seconds) for seconds in (0, 67.9, 3667)] == ["0:00", "1:07", "1:01:07"]
    told = error_text("t", '{"error": {"kind": "bad_arguments", "message": "t: a: missing"}}')
    assert told == "t failed (bad arguments): a: missing\nhelp t says what it takes"
    assert error_text("t", "<html>") == "t failed: <html>"
    assert error_text("t", "[1]") == "t failed: [1]"


# Races over a pipe, in process


def test_a_won_race(tmp_path: Path) -> None:
    done = play(tmp_path / "run", *ROUTE, "answer 1")
    assert done.exit_code == 0, done.output
    assert "leg linear/easy/001 won: 1 is the digit" in done.output
    assert "FA 1, PVR 1.00, RCR 1.00; 6 tool calls" in done.output
    assert "\x1b" not in done.output
    (race,) = read_races(tmp_path / "run").races
    assert (race.agent, race.model, race.answer, race.outcome) == ("human", None, 1, "answered")
    assert race.score is not None
    assert (race.score.fa, race.score.pvr, race.score.rcr) == (1, 1.0, 1.0)
    assert race.trace is not None
    calls = read_trace(tmp_path / "run" / race.trace).tool_calls
    assert [call.name for call in calls] == [line.split()[0] for line in ROUTE]
    assert calls[2].arguments == {"url": "https://wiki.aar.test/wiki/California"}
    run = json.loads((tmp_path / "run/run.json").read_text())
    assert (run["subject"]["agent"], run["profile"]["timeout"]) == ("human", None)


def test_a_lost_race_says_where_but_not_the_digit(tmp_path: Path) -> None:
    lost = play(tmp_path / "a", "answer 3")
    assert lost.exit_code == 1
    assert "answer 3 is wrong" in lost.output
    assert "first divergence: stop 0 (route info)" in lost.output
    assert "the digit is" not in lost.output
    shown = play(tmp_path / "b", "answer 3", options=("--show-golden",))
    assert "answer 3 is wrong, the digit is 1" in shown.output


def test_the_task_is_shown_and_bad_lines_end_nothing(tmp_path: Path) -> None:
    lines = (
        "",
        "   ",
        "no such thing",
        "fetch_webpage {",
        "countries_area contry=Peru",
        "countries_area Atlantis",
        "maps_reverse_geocode lat=100 lng=0",
        "page x",
        "page 99999999999999999999",
        "find",
        "note",
        "answer",
        "answer 12",
        "answer ٣",
        "help nothing",
        "note été 東京 👍",
        "notes",
        "time",
        "clues",
        "tools",
        "help",
        "help maps_elevation",
        "fetch_webpage https://wiki.aar.test/wiki/California",
        "more",
        "find largest",
        "page 2",
        "quit",
    )
    done = play(tmp_path, *lines)
    assert done.exit_code == 1
    for text in (
        "Start at https://wiki.aar.test/wiki/Fresno",
        "1. Your race starts",
        "? there is no command or tool 'no'",
        "? the arguments are no JSON object",
        "? countries_area has no argument 'contry'",
        "countries_area failed (not found)",
        "maps_reverse_geocode failed (bad arguments): lat",
        "? page takes a number",
        "(there is no result yet)",
        "? find what?",
        "? note what?",
        "? the answer is one digit, 0 to 9: answer 7 (got '12')",
        "got '٣'",
        "? there is no tool 'nothing'",
        "] été 東京 👍",
        "used, no limit; tools called: 2",
        "weather_forecast latitude longitude",
        "giveup",
        "locations  array  points; required",
        "-- lines 1-37 of",
        "Largest city",
        "gave up (as asked)",
    ):
        assert text in done.output, text
    assert "[0:00] > no such thing" in done.output
    (race,) = read_races(tmp_path).races
    assert (race.outcome, race.answer, race.tool_calls) == ("no-answer", None, 3)


def test_what_json_and_utf_8_can_not_hold_is_the_tools_to_refuse(tmp_path: Path) -> None:
    lines = ("weather_forecast latitude=nan longitude=1", 'maps_geocode {"address": "\\ud800"}')
    done = play(tmp_path, *lines, "answer 1")
    assert done.exit_code == 0
    assert done.output.count("failed (") == 2
    assert read_races(tmp_path).races[0].tool_calls == 2


def test_the_end_of_the_input_gives_up_and_keeps_the_trace(tmp_path: Path) -> None:
    done = play(tmp_path, "countries_area Peru")
    assert done.exit_code == 1
    (race,) = read_races(tmp_path).races
    assert (race.outcome, race.tool_calls) == ("no-answer", 1)
    assert "gave up" in race.detail


def test_wrong_legs_and_folders_are_usage_errors(tmp_path: Path) -> None:
    assert play(tmp_path, leg=tmp_path / "none.json").exit_code == 2
    broken = tmp_path / "broken.json"
    broken.write_text(LEG.read_text().replace('"stop_type": "page"', '"stop_type": "pony"'))
    assert isinstance(found := play(tmp_path / "x", leg=broken).exception, LegError)
    assert "broken.json" in str(found)
    play(tmp_path / "used", "quit")
    again = play(tmp_path / "used", "quit").exception
    assert isinstance(again, ConfigurationError)
    assert str(again).startswith("--results:")
    assert "already holds the results of a run" in str(again)


def test_a_world_that_can_not_be_had_is_refused_before_the_race(tmp_path: Path) -> None:
    for world, told in {"mars": "'mars' is not valid", "zim:none.zim": "none.zim"}.items():
        done = play(tmp_path / "run", "quit", options=("--world", world))
        assert isinstance(done.exception, ConfigurationError)
        assert told in str(done.exception)
        assert not (tmp_path / "run").exists()


def test_pytest_can_not_race_a_person() -> None:
    with pytest.raises(ConfigurationError, match="aar play LEG"):
        make_agent("human")


# As a program


@pytest.fixture(scope="module")
def env() -> dict[str, str]:
    return {**os.environ, "TERM": "xterm", "COLUMNS": "90", "LINES": "24"}


def _program(*words: str) -> list[str]:
    return [
        sys.executable,
        "-c",
        "from pytest_aar.cli import main; main()",
        "play",
        str(LEG),
        *words,
    ]


def test_a_plain_pipe_sees_no_escape_codes_and_bad_bytes_end_nothing(
    tmp_path: Path, env: dict[str, str]
) -> None:
    lines = b"note \xff\xfe bytes\nnotes\ncountries_area Peru\nanswer 1\n"
    done = subprocess.run(
        _program(), input=lines, capture_output=True, cwd=tmp_path, env=env, check=False, timeout=30
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\x1b" not in done.stdout
    assert b'"area_km2": 1285216' in done.stdout
    (run,) = (tmp_path / ".aar/runs").iterdir()
    assert read_races(run).races[0].answer == 1
    assert (tmp_path / ".aar/.gitignore").read_text() == "*\n"


def test_the_time_limit_ends_a_wait_for_the_next_line(tmp_path: Path, env: dict[str, str]) -> None:
    words = _program("--timeout", "0.5", "--results", str(tmp_path / "run"))
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as racing:
        assert racing.wait(30) == 1
        assert racing.stdout is not None
        assert b"The time is up: 0:00." in racing.stdout.read()
    assert read_races(tmp_path / "run").races[0].outcome == "timeout"


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGHUP])
def test_signals_give_up_and_keep_the_trace(
    tmp_path: Path, env: dict[str, str], kind: signal.Signals
) -> None:
    words = _program("--results", str(tmp_path / "run"))
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as racing:
        assert racing.stdin is not None
        assert racing.stdout is not None
        racing.stdin.write(b"countries_area Peru\n")
        racing.stdin.flush()
        while b"area_km2" not in racing.stdout.readline():
            assert racing.poll() is None
        racing.send_signal(kind)
        assert racing.wait(30) == 1
    (race,) = read_races(tmp_path / "run").races
    assert (race.outcome, race.tool_calls) == ("no-answer", 1)


class Screen:
    """A child on a terminal of its own: keys in, everything it shows out."""

    def __init__(self, handle: int, pid: int) -> None:
        self.handle, self.pid, self.seen = handle, pid, b""

    def keys(self, keys: str, *, until: bytes) -> bytes:
        """Press the keys; what is shown up to and with the text waited for."""
        before = len(self.seen)
        os.write(self.handle, keys.encode())
        self.wait(lambda: until in self.seen[before:])
        return self.seen[before:]

    def wait(self, is_there: Callable[[], bool]) -> None:
        end = time.monotonic() + 20
        while not is_there():
            assert time.monotonic() < end, self.seen[-2000:]
            if select.select([self.handle], [], [], 0.2)[0]:
                self.seen += os.read(self.handle, 65536)


@pytest.fixture
def screen(tmp_path: Path, env: dict[str, str]) -> Iterator[Screen]:
    pty = pytest.importorskip("pty", reason="terminals are a Unix thing")
    pytest.importorskip("readline", reason="completion needs readline")
    controller, terminal = pty.openpty()
    words = _program("--results", str(tmp_path / "run"))
    with subprocess.Popen(
        words, stdin=terminal, stdout=terminal, stderr=terminal, env=env, start_new_session=True
    ) as racing:
        os.close(terminal)
        try:
            yield Screen(controller, racing.pid)
            racing.wait(20)
        finally:
            racing.kill()
            os.close(controller)


def test_a_terminal_completes_and_remembers(screen: Screen, tmp_path: Path) -> None:
    screen.wait(lambda: b"] > " in screen.seen)
    assert b"countries_area" in screen.keys("countries_a\t", until=b"countries_area ")
    assert b"country=" in screen.keys("\t", until=b"country=")
    assert b"1285216" in screen.keys("Peru\n", until=b"] > ")
    assert b"1285216" in screen.keys("\x1b[A\n", until=b"] > ")
    assert b"mode=driving" in screen.keys("maps_directions mode=d\t", until=b"mode=driving")
    assert b"origin=" in screen.keys("or\t", until=b"origin=")
    time.sleep(0.2)
    before = len(screen.seen)
    screen.keys("\x15answer x\n", until=b"one digit")
    screen.wait(lambda: b"] > " in screen.seen[before:])
    screen.keys("\x15answer 1\n", until=b"results: ")
    (race,) = read_races(tmp_path / "run").races
    assert (race.answer, race.tool_calls) == (1, 2)


def test_control_d_on_a_terminal_gives_up(screen: Screen, tmp_path: Path) -> None:
    screen.wait(lambda: b"] > " in screen.seen)
    assert b"gave up" in screen.keys("\x04", until=b"results: ")
    assert read_races(tmp_path / "run").races[0].outcome == "no-answer"


def test_a_program_that_completes_knows_every_tool() -> None:
    offered = {name.strip() for name in completions("", "")}
    assert {each.name for each in TOOLS} <= offered


# The person's side alone


class Script:
    """A terminal that plays its lines; an exception among them is raised."""

    size = (80, 24)

    def __init__(self, *lines: str | BaseException, delay: float = 0) -> None:
        self.lines, self.delay = list(lines), delay
        self.said: list[str] = []

    def read(self, prompt: str) -> str:
        time.sleep(self.delay)
        line = self.lines.pop(0)
        if isinstance(line, BaseException):
            raise line
        return line

    def say(self, text: str) -> None:
        self.said.append(text)


def raced(tmp_path: Path, terminal: Script, *, timeout: float = math.inf) -> Race:
    """A race in the little world; the person sits in a thread that is not the main one."""
    settings = Settings(agent="human", record="off", timeout=timeout, infra_retries=0)
    agent = HumanAgent()

    def play_along() -> None:
        seat = agent.seat()
        assert seat is not None
        agent.end(Player(seat, terminal).play())

    with ThreadPoolExecutor(1) as pool, gateway(model=None) as gate:
        playing = pool.submit(play_along)
        race = Track(settings, tmp_path, gateway=gate).race(LITTLE, agent)
        playing.result(10)
    return race


def test_a_terminal_that_is_gone_gives_up(tmp_path: Path) -> None:
    race = raced(tmp_path, Script("countries_area Norland", OSError(5, "Input/output error")))
    assert (race.outcome, len(race.trace.tool_calls)) == ("no-answer", 1)
    assert "the terminal is gone" in race.record.detail


def test_an_answer_after_the_time_limit_comes_too_late(tmp_path: Path) -> None:
    terminal = Script("answer 6", delay=0.5)
    race = raced(tmp_path, terminal, timeout=0.2)
    assert (race.outcome, race.answer) == ("timeout", None)
    assert terminal.said[-1].startswith("The time is up")
    assert "You have 0:00." in terminal.said[0]


def test_a_race_that_is_ended_before_it_starts_ends_as_it_starts(tmp_path: Path) -> None:
    settings = Settings(agent="human", record="off", infra_retries=0)
    agent = HumanAgent()
    agent.end(Finish(ending="no-answer", detail="before the first move"))
    with gateway(model=None) as gate:
        race = Track(settings, tmp_path, gateway=gate).race(LITTLE, agent)
    assert (race.outcome, race.record.detail) == ("no-answer", "before the first move")


def test_a_race_that_never_started_offers_no_seat() -> None:
    agent = HumanAgent()
    agent.no_race()
    assert agent.seat() is None


def test_a_race_whose_trace_can_not_be_kept_is_no_lost_race(tmp_path: Path) -> None:
    (tmp_path / "traces").write_text("in the way")
    done = play(tmp_path, "answer 1")
    assert done.exit_code == 1
    assert "The race could not be run: can't write the trace" in done.output
    assert read_races(tmp_path).races[0].outcome == "infrastructure"


def test_a_contaminated_race_says_what_was_seen(tmp_path: Path) -> None:
    canary = read_leg(LEG).metadata["canary"]
    done = play(tmp_path, f"web_search {canary}", "answer 1")
    assert done.exit_code == 1
    assert "leg linear/easy/001 contaminated by human" in done.output
    assert "the leg's canary" in done.output
    assert "could not be run" not in done.output
