import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from command_results import result
from race_records import record

from pytest_aar.agents import claude_code, codex, make_agent
from pytest_aar.agents.cli_output import crash, events
from pytest_aar.agents.from_npm import FROM_NPM, warnings_of
from pytest_aar.agents.native_version import version_of
from pytest_aar.agents.npm_program import NpmProgram, npm_platform
from pytest_aar.box import CommandResult
from pytest_aar.errors import AgentNotInstalled, ConfigurationError
from pytest_aar.reports.terminal import Look, flat, summary

NATIVE = "@makers/runner-box/bin/runner"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NpmProgram:
    monkeypatch.setattr("sys.prefix", str(tmp_path / "venv"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return NpmProgram(
        agent="run",
        command="runner",
        package="@makers/runner",
        tested="1.2.3",
        oldest="1.2.3",
        newest="1.10.0",
        natives=(NATIVE, "@makers/runner-musl/bin/runner"),
    )


def native(path: Path, magic: bytes = b"\x7fELF") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(magic + b"\0" * 60)
    path.chmod(0o755)
    return path


def script(path: Path, text: str = "#!/usr/bin/env node\n") -> Path:
    native(path)
    path.write_text(text)
    return path


def test_a_native_binary_is_taken_as_it_is(program: NpmProgram, tmp_path: Path) -> None:
    binary = native(tmp_path / "elsewhere" / "runner")
    (tmp_path / "link").symlink_to(binary)
    assert program.find(str(binary)) == binary
    assert program.find(str(tmp_path / "link")) == binary
    mac = native(tmp_path / "mac", b"\xcf\xfa\xed\xfe")
    assert program.find(str(mac)) == mac


@pytest.mark.parametrize(
    "given",
    [".", "node_modules", "node_modules/.bin/runner", "node_modules/@makers/runner/bin/runner.js"],
)
def test_npms_wrapper_or_a_folder_leads_to_the_native_package_beside_it(
    program: NpmProgram, tmp_path: Path, given: str
) -> None:
    modules = tmp_path / "project" / "node_modules"
    binary = native(modules / NATIVE)
    script(modules / "@makers/runner/bin/runner.js")
    (modules / ".bin").mkdir()
    (modules / ".bin" / "runner").symlink_to("../@makers/runner/bin/runner.js")
    assert program.find(str(tmp_path / "project" / given)) == binary


def test_a_global_installation_keeps_the_native_package_below_the_wrapper(
    program: NpmProgram, tmp_path: Path
) -> None:
    wrapper = tmp_path / "lib/node_modules/@makers/runner"
    binary = native(wrapper / "node_modules" / NATIVE)
    script(wrapper / "bin/runner.js")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/runner").symlink_to(wrapper / "bin/runner.js")
    assert program.find(None) == binary
    assert program.find(str(tmp_path / "lib")) == binary


def test_the_second_native_package_will_do(program: NpmProgram, tmp_path: Path) -> None:
    binary = native(tmp_path / "node_modules/@makers/runner-musl/bin/runner")
    assert program.find(str(tmp_path)) == binary


def test_what_aar_install_put_there_wins_over_path(program: NpmProgram, tmp_path: Path) -> None:
    other = native(tmp_path / "bin/runner")
    assert program.find(None) == other
    installed = native(program.folder / "node_modules" / NATIVE)
    assert program.find(None) == installed
    assert program.folder == tmp_path / "venv/share/pytest-aar/agents/run"


def test_outside_a_virtual_environment_the_users_data_folder_is_used(
    program: NpmProgram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.prefix", "/usr")
    monkeypatch.setattr("sys.base_prefix", "/usr")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert program.folder == tmp_path / "data/pytest-aar/agents/run"
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert program.folder == tmp_path / ".local/share/pytest-aar/agents/run"


def test_nothing_anywhere_names_the_command_that_installs_it(program: NpmProgram) -> None:
    with pytest.raises(
        AgentNotInstalled,
        match=r"no 'runner' on PATH, nor in .*agents/run; install @makers/runner 1\.2\.3 with `aar install run`, "
        r"or give --aar-agent-option program=PATH",
    ):
        program.find(None)


def test_a_path_that_leads_nowhere(program: NpmProgram, tmp_path: Path) -> None:
    native(tmp_path / "near/node_modules" / NATIVE)
    for typo in ("/no/such", str(tmp_path / "near/no-such")):
        with pytest.raises(AgentNotInstalled, match=rf"option program='{typo}' .* does not exist"):
            program.find(typo)
    lonely = script(tmp_path / "alone/bin/runner.js")
    with pytest.raises(AgentNotInstalled, match=r"leads to no native binary of @makers/runner"):
        program.find(str(lonely))
    native(tmp_path / "plain").chmod(0o644)
    with pytest.raises(AgentNotInstalled, match="leads to no native binary"):
        program.find(str(tmp_path / "plain"))


def test_what_is_installed_around_another_file_or_folder_is_not_meant(
    program: NpmProgram, tmp_path: Path
) -> None:
    modules = tmp_path / "shop/node_modules"
    binary = native(modules / NATIVE)
    others = [
        script(tmp_path / "shop/runner.cfg"),
        script(tmp_path / "shop/bin/runnr"),
        script(modules / "other/bin/runner.js"),
        script(modules / ".bin/other"),
    ]
    for other in (*others, tmp_path / "shop/bin"):
        with pytest.raises(AgentNotInstalled, match="leads to no native binary"):
            program.find(str(other))
    assert program.find(str(modules / "@makers")) == binary


# Policies of the machine


def test_policies_are_a_warning_where_no_box_hides_them(
    program: NpmProgram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policies = tmp_path / "etc/runner"
    watched = replace(program, policies=(policies,))
    assert watched.policy_warning() is None
    policies.mkdir(parents=True)
    assert watched.policy_warning() is None
    (policies / "settings.json").write_text("{}")
    said = watched.policy_warning()
    assert said is not None
    assert said.startswith(f"run obeys {policies}, the policies of this machine, before")
    assert "--aar-isolation=bwrap" in said
    monkeypatch.setitem(FROM_NPM, "codex", lambda: watched)  # type: ignore[arg-type]
    assert warnings_of("codex", "1.2.3", "none") == (said,)
    assert warnings_of("codex", "1.2.3", "bwrap") == ()
    assert warnings_of("react", "1.2.3", "none") == ()
    race = {"agent": "codex", "agent_version": "1.2.3"}
    races = [record("linear/easy/001", isolation="none", **race)] * 2
    for look in (Look(width=2000), Look(width=2000, verbosity=-1)):
        assert "\n".join(flat(summary(races, look), look)).count(f"warning: {said}") == 1
    boxed = [record("linear/easy/001", isolation="bwrap", **race)]
    assert "policies" not in "\n".join(flat(summary(boxed, Look()), Look()))


def test_the_policies_of_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    assert codex.npm_program().policies == (Path("/etc/codex"),)
    assert claude_code.npm_program().policies == (Path("/etc/claude-code"),)


# Versions


@pytest.mark.parametrize("name", ["@makers/runner", "@makers/runner-box"])
def test_the_version_stands_in_the_package_around_the_binary(
    program: NpmProgram, tmp_path: Path, name: str
) -> None:
    binary = native(tmp_path / "pkg/vendor/triple/bin/runner")
    package = {"name": name, "version": "0.171.0-linux-x64"}
    (tmp_path / "pkg/package.json").write_text(json.dumps(package))
    assert program.version(str(binary)) == "0.171.0"


@pytest.mark.parametrize(
    "package", ['{"name": "my-shop", "version": "9.9.9"}', '{"version": "9.9.9"}', "[]", "{"]
)
def test_the_version_of_anybodys_project_is_not_the_programs(tmp_path: Path, package: str) -> None:
    inner, outer = tmp_path / "shop/bin", tmp_path / "shop"
    binary = script(inner / "runner", "#!/bin/sh\necho runner 4.5.6\n")
    (outer / "package.json").write_text(package)
    assert version_of(binary, ("@makers/runner",)) == "4.5.6"


def test_without_a_package_the_program_says_its_version(tmp_path: Path) -> None:
    said = script(tmp_path / "a", "#!/bin/sh\necho runner 4.5.6 '(built today)'\n")
    assert version_of(said, ()) == "4.5.6"
    silent = script(tmp_path / "b", "#!/bin/sh\necho what\n")
    with pytest.raises(AgentNotInstalled, match="says no version: 'what'"):
        version_of(silent, ())
    with pytest.raises(AgentNotInstalled, match="is it for this machine"):
        version_of(native(tmp_path / "c"), ())


@pytest.mark.parametrize("version", ["1.2.3", "1.3.0", "1.9.99", "1.10.0"])
def test_versions_of_the_tested_range_are_no_news(program: NpmProgram, version: str) -> None:
    assert program.warning(version) is None


@pytest.mark.parametrize("version", ["1.2.2", "1.10.1", "2.0.0"])
def test_other_versions_are_a_warning_with_the_range(program: NpmProgram, version: str) -> None:
    said = program.warning(version)
    assert said is not None
    assert said.startswith(
        f"run {version} is not a version that pytest-aar was tested with (1.2.3 to 1.10.0)"
    )
    assert said.endswith("`aar install run` installs 1.2.3")


# Output


def test_events_are_the_json_objects_among_the_lines() -> None:
    mixed = result("starting {", {"type": "a"}, "[1]", "{broken", "{" * 9000, {"type": "b"})
    assert [event["type"] for event in events(mixed)] == ["a", "b"]


def test_of_a_cut_output_the_end_is_read() -> None:
    cut = result({"type": "a"}, dropped_bytes=9, tail='lf a line"}\n{"type": "b"}\nlast words\n')
    assert [event["type"] for event in events(cut)] == ["b"]
    assert str(crash("it died", cut)).endswith('its last lines:\nlf a line"}\nlast words')


def test_a_crash_shows_the_last_lines_that_are_no_events() -> None:
    lines = [f"line {number}" for number in range(40)]
    said = str(crash("it died", result({"type": "x"}, *lines, "", {"type": "y"}, exit_code=-9)))
    assert said.startswith("it died (exit code -9); its last lines:\nline 25\n")
    assert said.endswith("line 39")
    assert '{"type": "y"}' in str(crash("it died", result({"type": "x"}, {"type": "y"})))
    assert "(no output)" in str(crash("it died", CommandResult(output="", exit_code=1)))


# The two agents


@pytest.mark.parametrize("name", ["codex", "claude-code"])
def test_options_are_checked(name: str) -> None:
    with pytest.raises(
        ConfigurationError, match=rf"agent '{name}' has no option speed; valid: args, "
    ):
        make_agent(name, {"speed": "9"})
    with pytest.raises(
        ConfigurationError, match=rf"agent '{name}': args=.* can't be split: No closing quotation"
    ):
        make_agent(name, {"args": "--flag 'x"})
    agent = make_agent(name, {"args": "--flag 'a b'", "program": "/no/such"})
    assert agent.cli.extra == ("--flag", "a b")  # type: ignore[attr-defined]
    with pytest.raises(AgentNotInstalled, match=f"aar install {name}"):
        agent.version()


@pytest.mark.parametrize("tokens", ["0", "-5", "many", "1e6", "\u0664"])
def test_a_context_window_is_a_number_of_tokens(tokens: str) -> None:
    with pytest.raises(ConfigurationError, match=r"context_window=.* is not a number of tokens"):
        make_agent("codex", {"context_window": tokens})
    assert make_agent("codex", {"context_window": "8000"}).cli.context_window == 8000  # type: ignore[attr-defined]


def test_choices_of_an_option_are_named() -> None:
    with pytest.raises(
        ConfigurationError, match="metadata='theirs' is not valid; choose pinned or own"
    ):
        make_agent("codex", {"metadata": "theirs"})
    with pytest.raises(ConfigurationError, match="mode='short' is not valid; choose bare or full"):
        make_agent("claude-code", {"mode": "short"})


def test_the_programs_of_codex_are_the_binary_with_its_companions(tmp_path: Path) -> None:
    layout = tmp_path / "vendor/triple"
    binary = native(layout / "bin/codex")
    agent = make_agent("codex", {"program": str(binary)})
    assert agent.programs() == (binary,)  # type: ignore[attr-defined]
    (layout / "codex-package.json").write_text("{}")
    assert agent.programs() == (layout,)  # type: ignore[attr-defined]


def test_claude_code_is_found_whether_its_script_ran_or_was_blocked(tmp_path: Path) -> None:
    found = claude_code.npm_program().natives[0]
    binary = native(tmp_path / "node_modules" / found)
    wrapper = tmp_path / "node_modules/@anthropic-ai/claude-code/bin/claude.exe"
    script(wrapper, "#!/bin/sh\necho not installed\nexit 1\n")
    agent = make_agent("claude-code", {"program": str(wrapper)})
    assert agent.programs() == (binary,)  # type: ignore[attr-defined]
    wrapper.unlink()
    os.link(binary, wrapper)
    assert agent.programs() == (wrapper,)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("system", "machine", "claude", "openai"),
    [
        ("linux", "x86_64", "linux-x64/claude", "linux-x64/vendor/x86_64-unknown-linux-musl/bin"),
        ("linux", "aarch64", "linux-arm64/claude", "vendor/aarch64-unknown-linux-musl/bin/codex"),
        ("darwin", "arm64", "darwin-arm64/claude", "arm64/vendor/aarch64-apple-darwin/bin/codex"),
    ],
)
def test_platforms(
    monkeypatch: pytest.MonkeyPatch, system: str, machine: str, claude: str, openai: str
) -> None:
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr("platform.machine", lambda: machine)
    assert claude in claude_code.npm_program().natives[0]
    assert openai in codex.npm_program().natives[0]
    assert npm_platform() in codex.npm_program().natives[0]
