"""Which box there is: found out by trying."""

import os
import sys
from pathlib import Path

import pytest
from box_kinds import isolation

from pytest_aar.box import Isolation, advice, probe
from pytest_aar.box.isolation import _best, tried
from pytest_aar.box.shell import first_shell
from pytest_aar.errors import ConfigurationError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="bwrap is Linux's")


@pytest.fixture(autouse=True)
def _forget():  # type: ignore[no-untyped-def]
    """Each process tries once; here each test does."""
    _best.cache_clear()
    yield
    _best.cache_clear()


def fake_bwrap(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = folder / "bwrap"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")


def test_unknown_isolation_names_the_valid_ones() -> None:
    with pytest.raises(ConfigurationError, match="'chroot'; valid: auto, bwrap, none"):
        probe("chroot")


def test_none_is_never_tried() -> None:
    assert probe("none") == Isolation(name="none", detail="asked for")
    assert _best.cache_info().currsize == 0


def test_auto_takes_the_sandbox_where_it_works() -> None:
    isolation("bwrap-user")
    found = probe("auto")
    assert found.name == "bwrap"
    assert found.form in (("root", "user") if os.geteuid() == 0 else ("user",))
    assert probe("bwrap") is probe("auto") is found


def test_without_bwrap_auto_falls_back_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert probe("auto") == Isolation(name="none", detail="bwrap is not installed")
    with pytest.raises(ConfigurationError) as refused:
        probe("bwrap")
    assert str(refused.value).startswith(
        "--aar-isolation=bwrap is not possible here: bwrap is not installed. "
        "Install it with `sudo apt-get install bubblewrap`"
    )
    assert "--aar-isolation=none" in str(refused.value)


def test_a_refused_namespace_is_told_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "bwrap: setting up uid map: Permission denied"
    fake_bwrap(tmp_path, f"echo '{said}' >&2; exit 1", monkeypatch)
    found = probe("auto")
    assert (found.name, said in found.detail) == ("none", True)
    with pytest.raises(ConfigurationError) as refused:
        probe("bwrap")
    assert said in str(refused.value)
    assert "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0" in str(refused.value)


def test_a_sandbox_whose_server_never_speaks_is_no_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_bwrap(tmp_path, "exit 0", monkeypatch)
    assert probe("auto").name == "none"
    assert "it ended without a word" in probe("auto").detail


def test_a_machine_without_temporary_files_has_no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_aar.box.isolation.tempfile.tempdir", "/nonexistent")
    found = probe("auto")
    assert found.name == "none"
    assert "no folder for temporary files to try it in" in found.detail
    assert "/nonexistent" in found.detail


def test_root_is_given_no_sandbox_without_a_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_aar.box.isolation.call_filter", lambda form: None)
    fault = tried("root")
    assert fault is not None
    assert f"none is known for {os.uname().machine}" in fault


def test_the_shell_is_bash_or_another() -> None:
    assert first_shell(("/nonexistent/bash", "/bin/sh")) == "/bin/sh"
    with pytest.raises(ConfigurationError, match=r"no shell .* /no/bash, /dev/null; install bash"):
        first_shell(("/no/bash", "/dev/null"))


@pytest.mark.parametrize("wanted", ["none", "auto", "bwrap"])
def test_without_a_shell_no_race_begins(wanted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_aar.box.isolation.shell", lambda: first_shell(("/no/bash",)))
    with pytest.raises(ConfigurationError, match="this machine has no shell"):
        probe(wanted)


def test_elsewhere_the_advice_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "macOS: a Linux container" in advice()
    assert probe("auto") == Isolation(name="none", detail="no bwrap on darwin")
