"""`aar doctor`: what each check says of machines that lack something, and the whole of it on this one."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections import namedtuple
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pytest_aar.box import Isolation
from pytest_aar.cli.doctor import command
from pytest_aar.doctor import (
    PURPOSES,
    Check,
    Patient,
    examine,
    in_the_way,
    installed,
    keys,
    machine,
    table,
    versions,
    walls,
)
from pytest_aar.doctor import services as asking
from pytest_aar.doctor.examination import AREAS
from pytest_aar.errors import ConfigurationError
from pytest_aar.settings import SERVICES
from pytest_aar.tools import LIVE, Endpoints, PythonRun
from pytest_aar.tools.services import KEY_SOURCES

SECRET = "sk-kept-to-ourselves-123456"


# Versions.


def test_packages_that_are_missing_or_too_old_say_how_to_get_them() -> None:
    found = versions.packages(
        ["pytest>=999", "no-such-thing>=2", "httpx>=0.1", "mcp>=99; extra == 'mcp'"]
    )
    told = {check.name: (check.state, check.advice) for check in found}
    assert told == {
        "pytest": ("broken", "pip install 'pytest>=999'"),
        "no-such-thing": ("missing", "pip install 'no-such-thing>=2'"),
    }
    assert in_the_way(found, "sandbox") == found
    assert "needed: >=999" in found[0].found


def test_packages_that_fit_are_one_line() -> None:
    assert [check.state for check in versions.packages()] == ["ok"] * 3


def test_a_plugin_that_pytest_will_not_load_is_broken() -> None:
    off = versions.plugin({"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    assert (off.state, off.advice) == ("broken", "unset it, or call pytest -p aar")
    assert versions.plugin({}).state == "ok"


def test_an_old_python_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    info = namedtuple("info", "major minor micro releaselevel serial")
    monkeypatch.setattr(versions.sys, "version_info", info(3, 10, 1, "final", 0))
    assert (versions.python().state, versions.python().advice) == (
        "broken",
        "use Python 3.11 or newer",
    )


# What races stand on.


def test_the_box_and_the_walls_are_tried() -> None:
    assert walls.world().found.startswith("16,")
    assert walls.python_tool().state in ("ok", "missing")  # missing: no walls on this machine
    assert walls.box().state == ("ok" if walls.python_tool().state == "ok" else "missing")


def test_a_machine_without_box_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        walls, "probe", lambda _: Isolation(name="none", detail="bwrap is not installed")
    )
    found = walls.box()
    assert (found.state, found.found) == ("missing", "none: bwrap is not installed")
    assert "see all that you see" in found.advice
    assert not in_the_way([found], "sandbox")


def test_a_machine_without_shell_can_do_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_: str) -> Isolation:
        raise ConfigurationError("this machine has no shell")

    monkeypatch.setattr(walls, "probe", none)
    assert in_the_way([walls.box()], "golden")


def tool_that_gives(stdout: str, isolation: str = "bwrap"):
    class Tool:
        def __init__(self, **_: str) -> None:
            pass

        async def run(self, code: str, *, timeout_seconds: float) -> PythonRun:
            return PythonRun(stdout=stdout, stderr="Killed", exit_code=-9, isolation=isolation)

    return Tool


def test_a_python_tool_that_counts_wrong_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walls, "WalledPython", tool_that_gives(""))
    found = walls.python_tool()
    assert (found.state, found.found) == ("broken", "print(6 * 7) gave '', exit code -9: Killed")
    assert in_the_way([found], "sandbox")
    monkeypatch.setattr(walls, "WalledPython", tool_that_gives("42\n", "weak"))
    assert (walls.python_tool().state, walls.python_tool().found) == (
        "missing",
        "no walls but limits",
    )


def test_world_data_that_can_not_be_read_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ValueError("not a zip file")

    monkeypatch.setattr("pytest_aar.world.load", broken)
    assert walls.world().state == "broken"
    assert "pip install --force-reinstall" in walls.world().advice


# Folders and machine.


def test_folders_that_are_not_there_will_be_made(tmp_path: Path) -> None:
    for check in (machine.cassettes, machine.results):
        found = check(tmp_path / "a/b")
        assert (found.state, found.found) == ("ok", f"{tmp_path / 'a/b'}: will be made")
    assert (machine.legs(tmp_path).state, machine.legs(tmp_path / "none").state) == ("off", "off")
    (tmp_path / "one.json").write_text("{}")
    (tmp_path / ".answers.json").write_text("{}")
    assert machine.legs(tmp_path).found == f"{tmp_path}: 1 files"


def test_folders_that_may_not_be_written_are_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        machine.os, "access", lambda _, mode: not mode & os.W_OK
    )  # root may write anywhere
    found = machine.cassettes(tmp_path)
    assert (found.state, found.found) == ("broken", f"{tmp_path}: can't be written")
    assert "--aar-cassettes" in found.advice
    assert not in_the_way([found], "sandbox")  # they are still replayed
    assert in_the_way([machine.results(tmp_path / "new")], "sandbox")
    monkeypatch.setattr(machine.os, "access", lambda _, mode: False)
    assert in_the_way([machine.cassettes(tmp_path)], "sandbox")
    file = tmp_path / "file"
    file.touch()
    monkeypatch.undo()
    assert machine.results(file / "below").state == "broken"


def test_no_folder_for_temporary_files_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    assert machine.work().state == "ok"
    monkeypatch.setattr(machine.tempfile, "tempdir", "/nonexistent/tmp")
    assert (machine.work().state, "TMPDIR" in machine.work().advice) == ("broken", True)


def test_a_full_disk_and_a_clock_of_the_past_are_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert machine.disk(tmp_path / "a/b").state == "ok"
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(machine.shutil, "disk_usage", lambda _: usage(1, 1, 12_000_000))
    assert (machine.disk(tmp_path).state, machine.disk(tmp_path).found) == ("broken", "0.0 GB free")
    assert machine.clock().state == "ok"
    past = machine.clock(datetime(1970, 1, 1, tzinfo=UTC))
    assert (past.state, past.found) == ("broken", "1970-01-01 00:00 UTC")
    assert (bool(in_the_way([past], "live")), bool(in_the_way([past], "sandbox"))) == (True, False)


# Agents.


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Codex as npm would install it into a virtual environment of the test's."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return replace(installed.FROM_NPM["codex"](), natives=("@openai/codex-x/bin/codex",))


def install(program, version: str) -> None:
    package = program.folder / "node_modules/@openai/codex-x"
    (package / "bin").mkdir(parents=True, exist_ok=True)
    (package / "bin/codex").write_bytes(b"\x7fELF")
    (package / "bin/codex").chmod(0o755)
    (package / "package.json").write_text(
        json.dumps({"name": "@openai/codex-x", "version": version})
    )


@pytest.mark.parametrize(
    ("version", "state", "found"),
    [(None, "missing", "not installed"), ("{tested}", "ok", "{tested}"),
     ("0.1.0", "broken", "0.1.0; races were run with {tested}")],
)  # fmt: skip
def test_an_agent_from_npm(program, version: str | None, state: str, found: str) -> None:
    if version is not None:
        install(program, version.format(tested=program.tested))
    check = installed.npm_agent(program)
    assert (check.state, check.found) == (state, found.format(tested=program.tested))
    assert check.advice == ("" if state == "ok" else "aar install codex")
    assert bool(in_the_way([check], "codex")) == (state != "ok")
    assert not in_the_way([check], "sandbox")


def test_a_program_on_path_that_is_none_is_broken(program, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/codex").write_text("#!/bin/sh\n")
    (tmp_path / "bin/codex").chmod(0o755)
    found = installed.npm_agent(program)
    assert (found.state, "leads to no native binary" in found.found) == ("broken", True)


@pytest.mark.parametrize(
    ("versions_there", "state", "found"),
    [({}, "missing", "not installed"), ({"mini-swe-agent": "2.4.6"}, "broken", "2.4.6, without "),
     ({"mini-swe-agent": "1.0", "*": "1"}, "broken", "1.0; races were run with 2.4.6"),
     ({"mini-swe-agent": "2.4.6", "*": "1"}, "ok", "2.4.6")],
)  # fmt: skip
def test_mini_swe(
    monkeypatch: pytest.MonkeyPatch, versions_there: Mapping[str, str], state: str, found: str
) -> None:
    def version(name: str) -> str:
        if name not in versions_there and "*" not in versions_there:
            raise installed.PackageNotFoundError(name)
        return versions_there.get(name, "1")

    monkeypatch.setattr(installed, "version", version)
    check = installed.mini_swe_agent()
    assert (check.state, check.found[: len(found)]) == (state, found)
    assert check.advice == ("" if state == "ok" else "aar install mini-swe")


@pytest.mark.parametrize(
    ("script", "state", "found"),
    [(None, "off", "not on PATH"), ("echo v20.1.0", "ok", "20.1.0, "), ("exit 3", "broken", "exit status 3"),
     ("sleep 30", "broken", "timed out")],
)  # fmt: skip
def test_node(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, state: str, found: str
) -> None:
    if script is not None:
        (tmp_path / "node").write_text(
            f"#!/bin/sh\nPATH=/usr/bin:/bin\nexec {script}\n"
            if "sleep" in script
            else f"#!/bin/sh\n{script}\n"
        )
        (tmp_path / "node").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(installed, "_SECONDS", 0.5)
    check = installed.node()
    assert check.state == state
    assert found in check.found


def test_agents_of_other_packages_and_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint(name="mine", value="my.agents:Mine", group="pytest_aar.agents")
    monkeypatch.setattr(installed, "entry_points", lambda group: [point])
    assert [check.found for check in installed.users_agents()] == ["from my.agents:Mine"]
    assert installed.extra("x", "click", "x").found.startswith("click 8.")
    missing = installed.extra("zim", "no-such-thing", "ZIM files")
    assert (missing.state, missing.advice) == (
        "off",
        "for ZIM files: pip install 'pytest-aar[zim]'",
    )


def test_an_extra_in_another_version_than_asked_for_is_broken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(installed, "requires", lambda _: ["click<8,>=7; extra == 'x'"])
    check = installed.extra("x", "click", "x")
    assert (check.state, check.advice) == ("broken", "pip install 'click<8,>=7'")
    assert check.found.endswith(", needed: <8,>=7")
    assert installed.extra("y", "click", "y").state == "ok"


# Keys.


def test_keys_are_told_by_name_and_never_by_value() -> None:
    environment = {
        "GOOGLE_MAPS_API_KEY": SECRET,
        "SERPER_API_KEY": f" {SECRET}\n",
        "AAR_API_KEY": f"'{SECRET}'",
    }
    found = {check.name: check for check in keys.keys(environment)}
    assert (found["maps"].state, found["maps"].found) == ("ok", "GOOGLE_MAPS_API_KEY set")
    for name in ("web search", "model"):
        assert (found[name].state, "quotes or white space in it" in found[name].found) == (
            "broken",
            True,
        )
    assert SECRET not in repr(found)
    assert str(len(SECRET)) not in repr(found)


def test_keys_that_are_not_set_say_where_to_get_them() -> None:
    found = {check.name: check for check in keys.keys({"OPENAI_API_KEY": "  "})}
    assert found["model"].state == "off"
    assert [check.name for check in in_the_way(found.values(), "live")] == ["maps", "web search"]
    assert KEY_SOURCES["GOOGLE_API_KEY"] in found["maps"].advice
    named = " ".join(check.found for check in found.values())
    assert all(variable in named for variable in KEY_SOURCES)


# Services.


class Loopback:
    """A server that answers each path as its first part says: a status, `hang`, or `reset`."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=50)
        self.port = self._listening.getsockname()[1]
        self.heads: list[bytes] = []
        self._held: list[socket.socket] = []
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            taken, _ = self._listening.accept()
            head = taken.recv(65536)
            if not head:
                taken.close()
                return
            self.heads.append(head)
            what = head.split()[1].strip(b"/").split(b"/")[0].split(b"?")[0].decode()
            if what == "hang":
                self._held.append(taken)
                continue
            if what.isdecimal():
                taken.sendall(
                    f"HTTP/1.1 {what} X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
                )
            taken.close()

    def stop(self) -> None:
        socket.create_connection(("127.0.0.1", self.port)).close()
        self._thread.join(timeout=10)
        for each in (*self._held, self._listening):
            each.close()
        assert not self._thread.is_alive()


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    server = Loopback()
    yield server
    server.stop()


NAMES = [name for name in SERVICES if name not in ("maps", "weather")]


def ends(loopback: Loopback, **answers: str) -> Endpoints:
    """Every service under a name of its own on the loopback server; those not named answer 404."""
    return LIVE.with_overrides(
        {
            name: f"http://127.0.0.{number}:{loopback.port}/{answers.get(name, '404')}"
            for number, name in enumerate(NAMES, 1)
        }
    )


@pytest.fixture
def any_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """127.0.0.x all lead to the one server, also where a machine has only 127.0.0.1."""
    real = socket.create_connection

    def connect(address: tuple[str, int], *arguments: object, **more: object) -> socket.socket:
        host = "127.0.0.1" if address[0].startswith("127.") else address[0]
        return real((host, address[1]), *arguments, **more)

    monkeypatch.setattr(socket, "create_connection", connect)


@pytest.mark.usefixtures("any_host")
def test_services_by_what_they_answer(loopback: Loopback) -> None:
    endpoints = ends(
        loopback,
        wikipedia="403",
        search="429",
        places="503",
        routes="hang",
        stocks="reset",
        crypto="301",
    )
    start = time.monotonic()
    found = {
        check.name: check
        for check in asking.services(endpoints, {}, contact="me@x.test", seconds=1.0)
    }
    assert time.monotonic() - start < 5
    assert {name: check.state for name, check in found.items() if name in NAMES} == {
        name: "broken" if name in ("wikipedia", "search", "places", "routes", "stocks") else "ok"
        for name in NAMES
    }
    assert found["wikipedia"].found.endswith(" refuses this machine (HTTP 403)")
    assert "--aar-contact" in found["wikipedia"].advice
    assert "too many requests from here (HTTP 429)" in found["search"].found
    assert "out of order (HTTP 503)" in found["places"].found
    assert found["routes"].found.endswith((": timed out", ": no answer within 1 s"))
    assert all(b"me@x.test" in head for head in loopback.heads)
    assert any(b"action=query&meta=siteinfo" in head for head in loopback.heads)
    assert {check.name for check in in_the_way(found.values(), "live")} == {
        "wikipedia",
        "search",
        "places",
        "routes",
        "stocks",
    }


ALWAYS = {
    *("wikipedia", "geocoding", "places", "routes", "weather_archive", "weather_forecast"),
    *("stocks", "crypto"),
}


@pytest.mark.parametrize(
    ("variables", "own", "more"),
    [("", "", "world_bank"),
     ("TAVILY_API_KEY", "", "world_bank tavily"),
     ("BRAVE_API_KEY SERPER_API_KEY", "", "world_bank search"),
     ("SERPER_API_KEY", "searxng", "world_bank searxng"),
     ("RESTCOUNTRIES_API_KEY", "", "countries"),
     ("", "countries", "countries")],
)  # fmt: skip
def test_services_are_needed_as_keys_and_addresses_choose_them(
    variables: str, own: str, more: str
) -> None:
    endpoints = LIVE.with_overrides(dict.fromkeys(own.split(), "https://x.test"))
    keys = dict.fromkeys(variables.split(), "k")
    assert asking.needed_services(endpoints, keys) == ALWAYS | set(more.split())
    assert asking.needed_services(endpoints, keys) <= {*SERVICES}


def test_a_machine_without_network_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object, **__: object) -> object:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", none)
    (found,) = asking.services(LIVE, {})
    assert (found.area, found.name, found.state) == ("services", "all", "missing")
    assert "can be reached ([Errno -2] Name or service not known)" in found.found
    assert "the sandbox world and replay need none" in found.advice


def test_a_name_server_that_hangs_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()

    def hang(*_: object, **__: object) -> object:
        go_on.wait(20)
        raise socket.gaierror(-3, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    start = time.monotonic()
    (found,) = asking.services(LIVE, {}, seconds=0.3)
    assert time.monotonic() - start < 5
    go_on.set()
    assert "no answer within 0.3 s" in found.found


# The whole.


CHECKS = [
    Check(area="sandbox", name="box", state="ok", found="bwrap"),
    Check(
        area="keys",
        name="a" * 18,
        state="missing",
        found="x" * 300,
        advice="word " * 60,
        needed_for=("live",),
    ),
    Check(area="keys", name="b", state="broken", found="é" * 20, advice="do this"),
]


@pytest.mark.parametrize("width", [70, 80, 200])
def test_the_table_keeps_to_the_terminal(width: int) -> None:
    lines = table(CHECKS, width=width).splitlines()
    assert max(map(len, lines)) <= width
    assert [line for line in lines if line.isupper()] == ["SANDBOX", "KEYS"]
    assert any(line.endswith("-> do this") for line in lines)


def run(*words: str, **environment: str) -> Result:
    return CliRunner().invoke(command, words, env={"COLUMNS": "80", **environment})


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[Patient]:
    """The command without the checks themselves: what they were asked for."""
    seen: list[Patient] = []

    def examined(patient: Patient) -> list[Check]:
        seen.append(patient)
        return CHECKS

    monkeypatch.setattr("pytest_aar.cli.doctor.examine", examined)
    return seen


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("words", "code"),
    [("", 0), ("--for sandbox", 0), ("--for live", 1), ("--for codex", 0), ("--for codex --for live", 1)],
)  # fmt: skip
def test_the_exit_status_is_of_what_was_asked_for(words: str, code: int) -> None:
    done = run(*words.split())
    assert done.exit_code == code
    assert "sandbox: can run" in done.output
    assert f"live: can't run: keys {'a' * 18}" in done.output
    assert ("codex: can run" in done.output) == ("codex" in words)


@pytest.mark.usefixtures("quick")
def test_json_has_the_same() -> None:
    done = run("--json", "--for", "live")
    found = json.loads(done.output)
    assert found["can_run"] == {"sandbox": True, "live": False}
    first = {"area": "sandbox", "name": "box", "state": "ok", "found": "bwrap"}
    assert found["checks"][0] == {**first, "advice": "", "needed_for": []}
    assert done.exit_code == 1


def test_options_lead_to_what_is_looked_at(quick: list[Patient]) -> None:
    run(
        "--legs",
        "l",
        "--cassettes",
        "c",
        "--contact",
        "me",
        "--services",
        "wikipedia=https://w.test/api.php",
    )
    (seen,) = quick
    assert (seen.legs, seen.cassettes, seen.contact) == (Path("l"), Path("c"), "me")
    assert seen.endpoints.wikipedia == "https://w.test/api.php"
    assert "is no service" in str(run("--services", "x=https://w.test").exception)
    assert run("--for", "moon").exit_code == 2


def test_the_real_thing_is_quick_and_keeps_secrets(tmp_path: Path) -> None:
    """On this machine: with a key, from an empty folder, as users call it."""
    environment = {**os.environ, "SERPER_API_KEY": SECRET, "COLUMNS": "80"}
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", "from pytest_aar.cli import main; main()", "doctor", "--json"],
        capture_output=True, text=True, check=False, cwd=tmp_path, env=environment, timeout=60,
    )  # fmt: skip
    assert time.monotonic() - start < 30  # 3 s on an idle machine
    assert SECRET not in done.stdout + done.stderr
    found = json.loads(done.stdout)
    areas = [check["area"] for check in found["checks"]]
    assert list(dict.fromkeys(areas)) == list(AREAS)
    assert done.returncode == (0 if found["can_run"]["sandbox"] else 1)
    assert found["can_run"]["sandbox"], found
    assert not list(tmp_path.iterdir())


def test_every_agent_is_looked_at_and_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_aar.doctor.examination.services", lambda *_, **__: [])
    found = examine(Patient(environment={}))
    named = {check.name for check in found if check.area == "agents"}
    assert set(PURPOSES) - {"sandbox", "live"} <= named
    assert not in_the_way(found, "golden")
