"""`aar doctor`: what each check says of machines that lack something, and the whole of it on this one."""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import EntryPoint, PackageNotFoundError
from pathlib import Path
from typing import Any

import httpx
import pytest
from _pytest.config.findpaths import locate_config
from click.testing import CliRunner, Result

from pytest_aar.agents import AGENT_NAMES
from pytest_aar.agents.from_npm import FROM_NPM
from pytest_aar.agents.npm_program import NpmProgram
from pytest_aar.box import Isolation
from pytest_aar.cli.doctor import command_over
from pytest_aar.doctor import (
    PURPOSES,
    Check,
    Patient,
    Probes,
    concerning,
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
from pytest_aar.doctor.contact import contact
from pytest_aar.doctor.examination import AREAS, looks
from pytest_aar.doctor.in_time import in_time
from pytest_aar.errors import ConfigurationError
from pytest_aar.ini_file import contact_in_ini, folder_in_ini, pytest_options, services_in_ini
from pytest_aar.settings import SERVICES
from pytest_aar.tools import LIVE, Endpoints, PythonRun
from pytest_aar.tools.services import KEY_SOURCES

SECRET = "sk-kept-to-ourselves-123456"
HERE = Probes()
SINCE_9 = pytest.mark.skipif(pytest.version_tuple < (9,), reason="pytest 8 reads no such table")


# Versions.


def test_packages_that_are_missing_or_too_old_say_how_to_get_them() -> None:
    needs = ["pytest>=999", "no-such-thing>=2", "httpx>=0.1", "mcp>=99; extra == 'mcp'"]
    found = versions.packages(Probes(requires=lambda _: needs))
    told = {check.name: (check.state, check.advice) for check in found}
    assert told == {
        "pytest": ("broken", "pip install 'pytest>=999'"),
        "no-such-thing": ("missing", "pip install 'no-such-thing>=2'"),
    }
    assert in_the_way(found, "sandbox") == found
    assert "needed: >=999" in found[0].found


def test_packages_that_fit_are_one_line() -> None:
    assert [check.state for check in versions.packages(HERE)] == ["ok"] * 3


def test_a_plugin_that_pytest_will_not_load_is_broken() -> None:
    off = versions.plugin(HERE, {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    assert (off.state, off.advice) == ("broken", "unset it, or call pytest -p aar")
    assert versions.plugin(HERE, {}).state == "ok"
    missing = versions.plugin(Probes(entry_points=lambda _: []), {})
    assert (missing.state, missing.advice) == ("missing", "pip install pytest-aar")


def test_an_old_python_is_broken() -> None:
    found = versions.python(Probes(python=(3, 10)))
    assert (found.state, found.advice) == ("broken", "use Python 3.11 or newer")


# What races stand on.


def test_the_box_and_the_walls_are_tried() -> None:
    box, python_tool = walls.box(HERE), walls.python_tool(HERE)
    assert walls.world(HERE).found.startswith("16,")
    assert python_tool.state in ("ok", "missing")  # missing: no walls on this machine
    assert box.state == ("ok" if python_tool.state == "ok" else "missing")


def test_a_machine_without_box_says_how_to_get_one() -> None:
    none = Isolation(name="none", detail="bwrap is not installed")
    found = walls.box(Probes(isolation=lambda _: none))
    assert (found.state, found.found) == ("missing", "none: bwrap is not installed")
    assert "see all that you see" in found.advice
    assert not in_the_way([found], "sandbox")
    assert concerning([found], ["codex"])


def test_a_machine_without_shell_can_do_nothing() -> None:
    def none(_: str) -> Isolation:
        raise ConfigurationError("this machine has no shell")

    assert in_the_way([walls.box(Probes(isolation=none))], "golden")


class Tool:
    """Prints the same, whatever it is to run."""

    def __init__(self, stdout: str, isolation: str = "bwrap") -> None:
        self._run = PythonRun(stdout=stdout, stderr="Killed", exit_code=-9, isolation=isolation)

    async def run(self, code: str, *, timeout_seconds: float) -> PythonRun:
        return self._run


def test_a_python_tool_that_counts_wrong_is_broken() -> None:
    found = walls.python_tool(Probes(python_tool=Tool("")))
    assert (found.state, found.found) == ("broken", "print(6 * 7) gave '', exit code -9: Killed")
    assert in_the_way([found], "sandbox")
    weak = walls.python_tool(Probes(python_tool=Tool("42\n", "weak")))
    assert (weak.state, weak.found) == ("missing", "no walls but limits")


def test_world_data_that_can_not_be_read_is_broken() -> None:
    def broken() -> None:
        raise ValueError("not a zip file")

    found = walls.world(Probes(load_world=broken))
    assert found.state == "broken"
    assert "pip install --force-reinstall" in found.advice
    assert in_the_way([found], "mcp")


# Folders and machine.


def test_folders_that_are_not_there_will_be_made(tmp_path: Path) -> None:
    for check in (machine.cassettes, machine.results):
        found = check(tmp_path / "a/b", HERE)
        assert (found.state, found.found) == ("ok", f"{tmp_path / 'a/b'}: will be made")
    assert (machine.legs(tmp_path).state, machine.legs(tmp_path / "none").state) == ("off", "off")
    (tmp_path / "one.json").write_text("{}")
    (tmp_path / ".answers.json").write_text("{}")
    hidden = tmp_path / ".copies/1.json"
    hidden.parent.mkdir()
    hidden.write_text("{}")
    assert machine.legs(tmp_path).found == f"{tmp_path}: 1 files"


def test_folders_that_may_not_be_written_are_broken(tmp_path: Path) -> None:
    read_only = Probes(may=lambda _, mode: not mode & os.W_OK)  # root may write anywhere
    found = machine.cassettes(tmp_path, read_only)
    assert (found.state, found.found) == ("broken", f"{tmp_path}: can't be written")
    assert "--aar-cassettes" in found.advice
    assert not in_the_way([found], "sandbox")  # they are still replayed
    assert in_the_way([machine.results(tmp_path / "new", read_only)], "sandbox")
    shut = Probes(may=lambda _, mode: False)
    assert in_the_way([machine.cassettes(tmp_path, shut)], "sandbox")
    file = tmp_path / "file"
    file.touch()
    assert machine.results(file / "below", HERE).state == "broken"


def test_no_folder_for_temporary_files_is_broken() -> None:
    assert machine.work(HERE).state == "ok"
    found = machine.work(Probes(temporary="/nonexistent/tmp"))
    assert (found.state, "TMPDIR" in found.advice) == ("broken", True)


def test_a_full_disk_and_a_clock_of_the_past_are_broken(tmp_path: Path) -> None:
    assert machine.disk(tmp_path / "a/b", HERE).state == "ok"
    full = machine.disk(tmp_path, Probes(free_bytes=lambda _: 12_000_000))
    assert (full.state, full.found) == ("broken", "0.0 GB free")
    assert machine.clock(HERE).state == "ok"
    past = machine.clock(Probes(now=lambda: datetime(1970, 1, 1, tzinfo=UTC)))
    assert (past.state, past.found) == ("broken", "1970-01-01 00:00 UTC")
    assert (bool(in_the_way([past], "live")), bool(in_the_way([past], "sandbox"))) == (True, False)


# Agents.


class InFolder(NpmProgram):
    """Codex as npm would install it into a virtual environment of the test's."""

    @property
    def folder(self) -> Path:
        return self.policies[0]


@pytest.fixture
def program(tmp_path: Path) -> NpmProgram:
    codex = FROM_NPM["codex"]()
    fields = {name: getattr(codex, name) for name in NpmProgram.__dataclass_fields__}
    return InFolder(
        **fields
        | {
            "command": "codex-of-a-test",
            "natives": ("@openai/codex-x/bin/codex",),
            "policies": (tmp_path / "agents",),
        }
    )


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
    check = installed.npm_agent(program, HERE)
    assert (check.state, check.found) == (state, found.format(tested=program.tested))
    assert check.advice == ("" if state == "ok" else "aar install codex")
    assert bool(in_the_way([check], "codex")) == (state != "ok")
    assert not in_the_way([check], "sandbox")


def test_a_program_on_path_that_is_none_is_broken(
    program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "codex-of-a-test").write_text("#!/bin/sh\n")
    (tmp_path / "codex-of-a-test").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = installed.npm_agent(program, HERE)
    assert (found.state, "leads to no native binary" in found.found) == ("broken", True)


@pytest.mark.parametrize(
    ("versions_there", "state", "found"),
    [({}, "missing", "not installed"), ({"mini-swe-agent": "2.4.6"}, "broken", "2.4.6, without "),
     ({"mini-swe-agent": "1.0", "*": "1"}, "broken", "1.0; races were run with 2.4.6"),
     ({"mini-swe-agent": "2.4.6", "*": "1"}, "ok", "2.4.6")],
)  # fmt: skip
def test_mini_swe(versions_there: Mapping[str, str], state: str, found: str) -> None:
    def version(name: str) -> str:
        if name not in versions_there and "*" not in versions_there:
            raise PackageNotFoundError(name)
        return versions_there.get(name, "1")

    check = installed.mini_swe_agent(Probes(version=version))
    assert (check.state, check.found[: len(found)]) == (state, found)
    assert check.advice == ("" if state == "ok" else "aar install mini-swe")


@pytest.mark.parametrize(
    ("script", "state", "found"),
    [(None, "off", "not on PATH"), ("echo v20.1.0", "ok", "20.1.0, "), ("exit 3", "broken", "exit status 3"),
     ("PATH=/usr/bin:/bin\nexec sleep 30", "slow", "no answer within 0.2 s, not judged")],
)  # fmt: skip
def test_node(tmp_path: Path, script: str | None, state: str, found: str) -> None:
    node = tmp_path / "node"
    if script is not None:
        node.write_text(f"#!/bin/sh\n{script}\n")
        node.chmod(0o755)
    which = {"node": str(node)}.get if script is not None else {}.get
    seconds = 0.2 if "sleep" in str(script) else 60
    check = installed.node(Probes(which=which, program_seconds=seconds))
    assert check.state == state
    assert found in check.found
    assert concerning([check], ["codex"])


def test_agents_of_other_packages() -> None:
    point = EntryPoint(name="mine", value="my.agents:Mine", group="pytest_aar.agents")
    found = installed.users_agents(Probes(entry_points=lambda _: [point]))
    assert [check.found for check in found] == ["from my.agents:Mine"]


def test_extras_are_needed_by_what_they_are_for() -> None:
    there = installed.extra("x", "click", "x", HERE)
    assert (there.state, there.found[:8]) == ("ok", "click 8.")
    missing = installed.extra("zim", "no-such-thing", "ZIM files", HERE)
    assert (missing.state, missing.advice) == (
        "missing",
        "for ZIM files: pip install 'pytest-aar[zim]' (in a clone: pip install -e '.[zim]')",
    )
    assert in_the_way([missing], "zim")
    assert not in_the_way([missing], "live")


def test_an_extra_in_another_version_than_asked_for_is_broken() -> None:
    probes = Probes(requires=lambda _: ["click<8,>=7; extra == 'x'"])
    check = installed.extra("x", "click", "x", probes)
    assert (check.state, check.advice) == ("broken", "pip install 'click<8,>=7'")
    assert check.found.endswith(", needed: <8,>=7")
    assert installed.extra("y", "click", "y", probes).state == "ok"


# Keys.


def keys_of(endpoints: Endpoints = LIVE, **environment: str) -> dict[str, Check]:
    return {check.name: check for check in keys.keys(environment, endpoints)}


def test_keys_are_told_by_name_and_never_by_value() -> None:
    found = keys_of(
        GOOGLE_MAPS_API_KEY=SECRET, SERPER_API_KEY=f" {SECRET}\n", AAR_API_KEY=f"'{SECRET}'"
    )
    assert (found["maps"].state, found["maps"].found) == (
        "set",
        "GOOGLE_MAPS_API_KEY set (not tried)",
    )
    assert not in_the_way([found["maps"]], "live")
    for name in ("web search", "model"):
        assert (found[name].state, "quotes or white space in it" in found[name].found) == (
            "broken",
            True,
        )
    assert SECRET not in repr(found)
    assert str(len(SECRET)) not in repr(found)


def test_keys_that_are_not_set_say_where_to_get_them() -> None:
    found = keys_of(OPENAI_API_KEY="  ")
    assert found["model"].state == "off"
    assert [check.name for check in in_the_way(found.values(), "live")] == ["maps", "web search"]
    assert KEY_SOURCES["GOOGLE_API_KEY"] in found["maps"].advice
    assert f"TAVILY_API_KEY from {KEY_SOURCES['TAVILY_API_KEY']}" in found["web search"].advice
    named = " ".join(check.found for check in found.values())
    assert all(variable in named for variable in KEY_SOURCES)


@pytest.mark.parametrize(
    ("variables", "own", "state", "found"),
    [("SERPER_API_KEY", "", "set", "SERPER_API_KEY set (not tried); Serper will be asked"),
     ("TAVILY_API_KEY", "", "set", "TAVILY_API_KEY set (not tried); Tavily will be asked"),
     ("SEARXNG_URL BRAVE_API_KEY", "", "set",
      "BRAVE_API_KEY, SEARXNG_URL set (not tried); Brave Search will be asked"),
     ("SEARXNG_URL", "", "set", "SEARXNG_URL set (not tried); SearXNG will be asked"),
     ("TAVILY_API_KEY", "searxng", "set", "TAVILY_API_KEY set (not tried); SearXNG will be asked"),
     ("", "searxng", "off", "not needed: asked at an address of yours; SearXNG will be asked")],
)  # fmt: skip
def test_the_search_service_that_will_be_asked_is_named(
    variables: str, own: str, state: str, found: str
) -> None:
    endpoints = LIVE.with_overrides(dict.fromkeys(own.split(), "https://x.test"))
    told = keys_of(endpoints, **dict.fromkeys(variables.split(), "k"))["web search"]
    assert (told.state, told.found, told.advice) == (state, found, "")


def test_maps_at_an_address_of_ones_own_need_no_key() -> None:
    own = keys_of(LIVE.with_overrides({"maps": "https://x.test"}))["maps"]
    assert (own.state, in_the_way([own], "live")) == ("off", [])
    part = keys_of(LIVE.with_overrides({"places": "https://x.test"}))["maps"]
    assert part.state == "missing"


# The contact.


def test_a_missing_contact_is_a_finding_and_in_nobodys_way() -> None:
    found = contact(None, LIVE)
    assert (found.state, "set aar_contact" in found.advice) == ("missing", True)
    assert "200 requests a minute, without it 10" in found.advice
    assert concerning([found], ["live"])
    assert not in_the_way([found], "live")
    assert (contact("me@x.test", LIVE).state, contact("me@x.test", LIVE).found) == (
        "set",
        "me@x.test",
    )
    assert contact(None, LIVE.with_overrides({"wikipedia": "https://w.test"})).state == "off"


@pytest.mark.parametrize(
    ("file", "text"),
    [("pytest.ini", "[pytest]\naar_contact = me@x.test\n"),
     ("tox.ini", "[pytest]\naar_contact: me@x.test\n"),
     ("setup.cfg", "[tool:pytest]\naar_contact = me@x.test\n"),
     ("pyproject.toml", "[tool.pytest.ini_options]\naar_contact = 'me@x.test'\n"),
     pytest.param("pytest.toml", "[pytest]\naar_contact = 'me@x.test'\n", marks=SINCE_9),
     pytest.param("pyproject.toml", "[tool.pytest]\naar_contact = 'me@x.test'\n", marks=SINCE_9)],
)  # fmt: skip
def test_the_contact_is_read_as_pytest_would(tmp_path: Path, file: str, text: str) -> None:
    below = tmp_path / "a/b"
    below.mkdir(parents=True)
    (tmp_path / file).write_text(text)
    (tmp_path / "a/pyproject.toml").write_text("[project]\nname = 'x'\n")  # has nothing of pytest's
    assert contact_in_ini(below) == "me@x.test"
    (below / "pytest.ini").write_text(
        "[pytest]\naddopts = %\n"
    )  # the nearest file is the one that counts
    assert contact_in_ini(below) is None
    (below / "pytest.ini").write_text("broken")
    assert contact_in_ini(below) == "me@x.test"


#: File, text, and whether the search for an ini file ends there: in pytest 8.4, from 9 on.
INI_FILES = [
    ("pytest.ini", "", True, True),
    ("pytest.ini", "[other]\na = 1\n", True, True),
    (".pytest.ini", "", False, True),
    ("pytest.toml", "", False, True),
    (".pytest.toml", "[tool.pytest]\naar_contact = 'you@x.test'\n", False, True),
    ("pyproject.toml", "[tool.pytest]\n", False, False),
    ("pyproject.toml", "[tool.pytest]\ntestpaths = ['a']\n", False, True),
    ("pyproject.toml", "[tool.pytest.ini_options]\n", True, True),
    ("tox.ini", "[tox]\n", False, False),
    ("tox.ini", "[pytest]\n", True, True),
    ("setup.cfg", "[metadata]\n", False, False),
    ("setup.cfg", "[tool:pytest]\n", True, True),
]


@pytest.mark.parametrize(("file", "text", "ends_8", "ends_9"), INI_FILES)
def test_the_ini_file_that_counts_is_pytests_own_choice(
    tmp_path: Path, file: str, text: str, ends_8: bool, ends_9: bool
) -> None:
    below = tmp_path / "below"
    below.mkdir()
    (tmp_path / "pytest.ini").write_text("[pytest]\naar_contact = me@x.test\n")
    (below / file).write_text(text)
    for major, ends in ((8, ends_8), (9, ends_9)):
        where, options = pytest_options(below, major)
        assert (where, options.get("aar_contact")) == (
            (below, None) if ends else (tmp_path, "me@x.test")
        )
    theirs = locate_config(below, [below])[2].get("aar_contact")  # a text before pytest 9
    assert contact_in_ini(below) == getattr(theirs, "value", theirs)


@pytest.mark.parametrize(
    ("file", "text"),
    [("pytest.ini", "[pytest]\naar_services =\n    wikipedia = https://w.test/api.php\n    maps=https://m.test\n"),
     ("pyproject.toml", "[tool.pytest.ini_options]\naar_services = ['wikipedia = https://w.test/api.php', 'maps=https://m.test']\n")],
)  # fmt: skip
def test_services_of_the_ini_file_are_those_that_are_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, text: str
) -> None:
    (tmp_path / file).write_text(text)
    assert services_in_ini(tmp_path) == (
        "wikipedia = https://w.test/api.php",
        "maps=https://m.test",
    )
    monkeypatch.chdir(tmp_path)
    patients: list[Patient] = []
    for words in ((), ("--services", "maps=https://other.test")):
        run(*words, examined=lambda patient, _: patients.append(patient) or CHECKS)
    assert [each.endpoints.places for each in patients] == ["https://m.test", "https://other.test"]
    assert patients[0].endpoints.wikipedia == "https://w.test/api.php"


@pytest.mark.parametrize("name", ["legs", "cassettes"])
def test_folders_of_the_ini_file_are_those_that_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    below = tmp_path / "below"
    below.mkdir()
    monkeypatch.chdir(tmp_path)
    patients: list[Patient] = []

    def looked_at(*words: str) -> Path:
        run(*words, examined=lambda patient, _: patients.append(patient) or CHECKS)
        return getattr(patients[-1], name)

    assert looked_at() == Path(name)
    (tmp_path / "pytest.ini").write_text(f"[pytest]\naar_{name} = published\n")
    assert looked_at() == Path("published")
    assert looked_at(f"--{name}", "others") == Path("others")
    monkeypatch.chdir(below)
    assert looked_at() == tmp_path / "published"
    assert folder_in_ini(below, f"aar_{name}") == tmp_path / "published"


def test_without_legs_the_ini_files_line_is_named_and_doctors_own_option(tmp_path: Path) -> None:
    said = "name their folder: aar_legs in pytest's ini file (here: --legs)"
    assert said in machine.legs(tmp_path).advice


# Services.


def test_an_address_of_ones_own_is_told_by_itself_where_no_public_service_can_be_reached() -> None:
    def cut_off(request: httpx.Request) -> httpx.Response:
        why = "refused" if request.url.host == "127.0.0.1" else "no name server"
        raise httpx.ConnectError(why, request=request)

    endpoints = LIVE.with_overrides({"searxng": "http://127.0.0.1:9"})
    probes = Probes(road=httpx.MockTransport(cut_off))
    found = {check.name: check for check in asking.services(endpoints, {}, probes)}
    assert found.keys() == {"all", "searxng"}
    assert "can be reached (no name server)" in found["all"].found
    assert found["all"].needed_for == ("live",)
    assert found["searxng"].found == "127.0.0.1:9: refused"
    assert in_the_way(list(found.values()), "live")


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


class ToLoopback(httpx.BaseTransport):
    """127.0.0.x all lead to the one server, also where a machine has only 127.0.0.1."""

    def __init__(self) -> None:
        self._road = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.url = request.url.copy_with(host="127.0.0.1")
        return self._road.handle_request(request)


@pytest.mark.parametrize(
    ("name", "status", "state", "found", "advice"),
    [
        ("search", 403, "ok", " answers", ""),
        ("places", 403, "ok", " answers", ""),
        ("stocks", 403, "broken", "refuses this machine (HTTP 403)", "ask from another network"),
        ("wikipedia", 403, "broken", "refuses this machine (HTTP 403)", "say who you are with --aar-contact, or ask"),
        ("crypto", 451, "broken", "is not served from this country (HTTP 451)", "--aar-services crypto=URL"),
        ("search", 451, "broken", "is not served from this country (HTTP 451)", "--aar-services search=URL"),
    ],
)  # fmt: skip
def test_what_a_refusal_means_depends_on_whether_a_key_is_wanted(
    name: str, status: int, state: str, found: str, advice: str
) -> None:
    """No key goes along: those who want one refuse by that alone."""
    host = httpx.URL(getattr(LIVE, name).replace("{language}", "en")).host
    road = httpx.MockTransport(
        lambda request: httpx.Response(status if request.url.host == host else 404)
    )
    checks = asking.services(LIVE, {}, Probes(road=road))
    check = next(each for each in checks if each.name == name)
    assert check.state == state
    assert check.found.endswith(found)
    assert advice in check.advice
    assert "--aar-contact" not in check.advice or name == "wikipedia"


def test_services_by_what_they_answer(loopback: Loopback) -> None:
    endpoints = ends(
        loopback,
        wikipedia="403",
        search="429",
        places="503",
        routes="hang",
        stocks="reset",
        crypto="301",
        coingecko="200",
    )
    probes = Probes(road=ToLoopback(), service_seconds=1.0)
    found = {check.name: check for check in asking.services(endpoints, {}, probes, "me@x.test")}
    broken = ("wikipedia", "search", "places", "routes", "stocks")
    states = dict.fromkeys(NAMES, "set") | dict.fromkeys(broken, "broken") | {"coingecko": "ok"}
    assert {name: check.state for name, check in found.items() if name in NAMES} == states
    assert found["crypto"].found.endswith(" answers HTTP 301")
    assert found["geocoding"].found.endswith(" answers HTTP 404")
    assert "is the path right?" in found["crypto"].advice
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


A_WIKI = {"batchcomplete": True, "query": {"general": {"sitename": "Wikipedia"}}}
API = "http://w.test/w/api.php"
API_ADVICE = f"is {API} the address of a wiki's api.php?"
KIWIX_BOOK = "kiwix+http://w.test/content/book"


@pytest.mark.parametrize(
    ("address", "answer", "found", "advice"),
    [(API, httpx.Response(200, json=A_WIKI), "w.test answers", ""),
     (API, httpx.Response(404, html="<html>nope"),
      "w.test answers HTTP 404 in place of a wiki's JSON", API_ADVICE),
     (API, httpx.Response(301, headers={"location": "https://w.test/"}),
      "w.test answers HTTP 301 in place of a wiki's JSON", API_ADVICE),
     ("http://w.test", httpx.Response(200, html="<html>Welcome!"),
      "w.test answers HTTP 200 without a wiki's JSON", "is http://w.test the address of a wiki's api.php?"),
     ("http://w.test", httpx.Response(200, json={"error": {"code": "readapidenied"}}),
      "w.test answers HTTP 200 without a wiki's JSON", "is http://w.test the address of a wiki's api.php?"),
     (KIWIX_BOOK, httpx.Response(302, headers={"location": "/content/book/"}), "w.test answers", ""),
     (KIWIX_BOOK, httpx.Response(404), "w.test answers HTTP 404: it has no such book",
      "is http://w.test/content/book the address of a book of the Kiwix server?")],
)  # fmt: skip
def test_wikipedia_is_what_answers_as_a_wiki_does(
    address: str, answer: httpx.Response, found: str, advice: str
) -> None:
    probes = Probes(road=httpx.MockTransport(lambda _: answer))
    checks = asking.services(LIVE.with_overrides({"wikipedia": address}), {}, probes)
    check = next(each for each in checks if each.name == "wikipedia")
    state = "broken" if advice else "ok"
    assert (check.state, check.found, check.advice) == (state, found, advice)
    assert check.needed_for == ("live",)


def test_services_behind_one_host_are_asked_at_their_own_paths() -> None:
    def road(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        return httpx.Response(503 if request.url.path == "/wx" else 200)

    asked: list[str] = []
    own = {"maps": "http://m.test/maps", "weather": "http://m.test/wx", "crypto": "http://m.test/c"}
    endpoints = LIVE.with_overrides(own)
    checks = asking.services(endpoints, {}, Probes(road=httpx.MockTransport(road)))
    found = {check.name: check.state for check in checks if check.found.startswith("m.test")}
    assert found == {"geocoding": "ok", "weather_archive": "broken", "crypto": "ok"}
    assert [asked.count(path) for path in ("/maps", "/wx", "/c")] == [1, 1, 1]


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


def test_a_searxng_that_a_variable_names_is_asked_there(loopback: Loopback) -> None:
    address = f"http://127.0.0.99:{loopback.port}/200"
    probes = Probes(road=ToLoopback(), service_seconds=5)
    endpoints = replace(ends(loopback), searxng="", own=frozenset())
    found = asking.services(endpoints, {"SEARXNG_URL": address}, probes)
    (one,) = [check for check in found if check.name == "searxng"]
    assert one.found == f"127.0.0.99:{loopback.port} answers"
    assert concerning([one], ["live"])


def without_network(_: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("[Errno -2] Name or service not known")


def test_a_machine_without_network_is_told_once() -> None:
    probes = Probes(road=httpx.MockTransport(without_network))
    (found,) = asking.services(LIVE, {}, probes)
    assert (found.area, found.name, found.state) == ("services", "all", "missing")
    assert "can be reached ([Errno -2] Name or service not known)" in found.found
    assert "the sandbox world and replay need none" in found.advice


def test_a_name_server_that_hangs_holds_nothing_up() -> None:
    go_on = threading.Event()

    def hang(request: httpx.Request) -> httpx.Response:
        go_on.wait(60)
        return httpx.Response(200, request=request)

    probes = Probes(road=httpx.MockTransport(hang), service_seconds=0.3)
    (found,) = asking.services(LIVE, {}, probes)
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
    Check(
        area="keys", name="b", state="broken", found="é" * 20, advice="do this", told_for=("mcp",)
    ),
]


@pytest.mark.parametrize("width", [70, 80, 200])
def test_the_table_keeps_to_the_terminal(width: int) -> None:
    lines = table(CHECKS, width=width).splitlines()
    assert max(map(len, lines)) <= width
    assert [line for line in lines if line.isupper()] == ["SANDBOX", "KEYS"]
    assert any(line.endswith("-> do this") for line in lines)


ADDRESS = "https://console.example.test/somewhere/far-away/and-long/maps-apis"


@pytest.mark.parametrize("width", [60, 70, 80, 120])
def test_addresses_stay_whole_on_narrow_terminals(width: int) -> None:
    check = Check(area="a", name="n" * 14, state="missing", found=ADDRESS, advice=f"see {ADDRESS}")
    lines = table([check], width=width).splitlines()
    assert [line for line in lines if ADDRESS in line] != []
    assert sum(line.count(ADDRESS) for line in lines) == 2
    assert max(map(len, lines)) <= max(width, len(ADDRESS))
    assert any(line.strip().startswith("nnnn") and "missing" in line for line in lines)


def run(
    *words: str,
    examined: Callable[[Patient, Probes], list[Check]] = lambda *_: CHECKS,
    **environment: str,
) -> Result:
    set_ = {"COLUMNS": "80", "NO_COLOR": "", "FORCE_COLOR": "", **environment}
    return CliRunner().invoke(command_over(examined), words, env=set_)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [("", 0, "sandbox: can run\nlive: can't run: keys NAME"),
     ("--for live", 1, "live: can't run: keys NAME"),
     ("--for codex", 0, "codex: can run"),
     ("--for codex --for live", 1, "codex: can run\nlive: can't run: keys NAME")],
)  # fmt: skip
def test_the_exit_status_and_the_last_lines_are_of_what_was_asked_for(
    words: str, code: int, said: str
) -> None:
    done = run(*words.split())
    assert done.exit_code == code
    assert done.output.rpartition("\n\n")[2] == said.replace("NAME", "a" * 18) + "\n"


def test_only_what_was_asked_for_is_shown() -> None:
    for words, shown in (
        ("", {"box", "a" * 18, "b"}),
        ("--for live", {"a" * 18}),
        ("--for mcp", {"b"}),
    ):
        found = json.loads(run("--json", *words.split()).output)
        assert {check["name"] for check in found["checks"]} == shown
    assert "box" not in run("--for", "live").output


def test_states_are_coloured_where_colours_are_wanted() -> None:
    plain, coloured = run().output, run(FORCE_COLOR="1").output
    assert "\x1b[32mok     \x1b[0m" in coloured
    assert "\x1b" not in plain + run(FORCE_COLOR="1", NO_COLOR="1").output


def test_json_has_the_same() -> None:
    done = run("--json", "--for", "live")
    found = json.loads(done.output)
    assert found["can_run"] == {"live": False}
    (first,) = found["checks"]
    assert (first["area"], first["needed_for"], first["told_for"]) == ("keys", ["live"], [])
    assert done.exit_code == 1


def test_options_lead_to_what_is_looked_at() -> None:
    patients: list[Patient] = []

    def examined(patient: Patient, probes: Probes) -> list[Check]:
        patients.append(patient)
        seconds.append(probes.seconds)
        return CHECKS

    seconds: list[float] = []

    address = "wikipedia=https://w.test/api.php"
    run(
        *["--legs", "l", "--cassettes", "c", "--contact", "me", "--services"],
        address,
        examined=examined,
    )
    run("--for", "codex", examined=examined)
    run("--for", "live", "--seconds", "60", examined=examined)
    seen = patients[0]
    assert (seen.legs, seen.cassettes, seen.contact) == (Path("l"), Path("c"), "me")
    assert seen.endpoints.wikipedia == "https://w.test/api.php"
    assert [each.asks_services for each in patients] == [True, False, True]
    assert seconds == [HERE.seconds, HERE.seconds, 60]
    assert run("--seconds", "0").exit_code == 2
    assert "is no service" in str(run("--services", "x=https://w.test").exception)
    assert run("--for", "moon").exit_code == 2


def test_the_real_thing_keeps_secrets(tmp_path: Path) -> None:
    """On this machine: with a key, from an empty folder, as users call it."""
    environment = {**os.environ, "SERPER_API_KEY": SECRET, "COLUMNS": "80"}
    done = subprocess.run(
        [sys.executable, "-c", "from pytest_aar.cli import main; main()", "doctor", "--json", "--seconds", "60"],
        capture_output=True, text=True, check=False, cwd=tmp_path, env=environment, timeout=120,
    )  # fmt: skip
    assert SECRET not in done.stdout + done.stderr
    found = json.loads(done.stdout)
    areas = [check["area"] for check in found["checks"]]
    assert list(dict.fromkeys(areas)) == list(AREAS)
    assert done.returncode == (0 if found["can_run"]["sandbox"] else 1)
    assert found["can_run"]["sandbox"], found
    assert not list(tmp_path.iterdir())


@pytest.fixture
def held() -> Iterator[threading.Event]:
    """What hangs waits for it."""
    event = threading.Event()
    yield event
    event.set()


def test_what_hangs_is_slow_and_all_else_is_judged(held: threading.Event) -> None:
    """The data, the box and the services hang for good; `seconds` is all the time there is."""

    def hangs(*_: object) -> Any:
        held.wait()
        raise AssertionError

    road = httpx.MockTransport(hangs)
    probes = Probes(load_world=hangs, isolation=hangs, road=road, seconds=2)
    found = examine(Patient(environment={}), probes)
    slow = {check.name: check for check in found if check.state == "slow"}
    assert {"world", "box", "python tool", "services"} <= slow.keys()
    assert slow["world"].found == "no answer within 2 s: not judged"
    assert "when this machine has less to do, or give it longer: --seconds 60" in (
        slow["world"].advice
    )
    assert next(check for check in found if check.name == "python").state == "ok"
    assert "sandbox world" in [f"{it.area} {it.name}" for it in in_the_way(found, "sandbox")]
    assert [each.area for each in found] == sorted((each.area for each in found), key=AREAS.index)


def test_what_hangs_keeps_no_program_from_ending() -> None:
    script = (
        "import threading; from pytest_aar.doctor.in_time import in_time\n"
        "print(in_time({'a': threading.Event().wait, 'b': lambda: 7}, seconds=1))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.stdout, done.returncode) == ("{'b': 7}\n", 0)


def test_programs_and_services_are_judged_before_the_examination_ends() -> None:
    """They have times of their own, and say more than that they are slow."""
    assert max(HERE.program_seconds, HERE.service_seconds) + 0.5 <= HERE.seconds <= 3


def test_what_a_job_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        in_time({"a": lambda: 1 // 0}, seconds=60)


def test_a_purpose_whose_needs_are_slow_is_not_judged() -> None:
    slow = Check(
        area="sandbox", name="world", state="slow", found="no answer", needed_for=("sandbox",)
    )
    done = run(examined=lambda *_: [slow])
    assert (done.exit_code, "sandbox: not judged, too slow: sandbox world" in done.output) == (
        1,
        True,
    )
    wrong = replace(slow, name="python tool", state="broken")
    assert "can't run: sandbox world, sandbox python" in (
        run(examined=lambda *_: [slow, wrong]).output
    )


def test_slow_is_told_to_whom_the_finding_would_be() -> None:
    probes = Probes(road=httpx.MockTransport(without_network))
    for look in looks(Patient(environment={}), probes):
        found, slow = look.found(), look.slow(1)
        if not found:
            continue
        assert {check.area for check in slow} == {check.area for check in found}
        for purpose in PURPOSES:
            judged = [purpose in check.needed_for for check in found]
            assert any(judged) == any(purpose in check.needed_for for check in slow), look.names
            assert bool(concerning(found, [purpose])) == bool(concerning(slow, [purpose]))


def test_each_purpose_has_what_it_needs_and_nothing_else() -> None:
    probes = Probes(road=httpx.MockTransport(without_network), seconds=60)
    found = examine(Patient(environment={}), probes)
    named = {
        purpose: {check.name for check in concerning(found, [purpose])} for purpose in PURPOSES
    }
    assert all("python" in names for names in named.values())
    assert {name for name in AGENT_NAMES if name not in named[name]} == set()
    assert "codex" not in named["live"] | named["claude-code"] | named["mcp"]
    assert {"maps", "web search", "contact", "clock", "all"} <= named["live"]
    assert {"zim", "box", "results"} <= named["zim"]
    assert named["mcp"] >= {"mcp", "world", "python tool"}
    assert not named["mcp"] & {"zim", "legs", "results", "maps", "contact", "all"}
    assert not in_the_way(found, "golden")
    quiet = examine(replace(Patient(environment={}), asks_services=False), probes)
    assert {check.name for check in found} - {check.name for check in quiet} == {"all"}
