"""The options of commands that call tools, and what pytest's ini file says in their place."""

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_aar.cli.world_choice import asked_for


def test_live_commands_take_services_and_contact_from_the_ini_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\naar_contact = me@example.org\naar_services =\n    maps = https://m.test\n"
    )
    monkeypatch.chdir(tmp_path)

    def found(world: str, contact: str | None, *services: str) -> tuple[str | None, dict[str, str]]:
        settings = asked_for(world, contact, services=services, wiki_at=None, limits=())
        return settings.contact, dict(settings.services)

    assert found("live", None) == ("me@example.org", {"maps": "https://m.test"})
    assert found("live", "a@b.test", "stocks=https://s.test") == (
        "a@b.test",
        {"stocks": "https://s.test"},
    )
    assert found("sandbox", None) == (None, {})


def test_the_ini_file_is_read_without_what_the_doctor_loads(tmp_path: Path) -> None:
    """Agents and all their protocols, which a command that calls a tool has no use for."""
    (tmp_path / "pytest.ini").write_text("[pytest]\naar_contact = me@example.org\n")
    code = (
        "import sys; from pytest_aar.cli.world_choice import asked_for;"
        "print(asked_for('live', None, services=(), wiki_at=None, limits=()).contact);"
        "print(*{name.split('.')[1] for name in sys.modules if name.startswith('pytest_aar.')})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    contact, loaded = done.stdout.splitlines()
    assert contact == "me@example.org"
    assert {"doctor", "agents", "gateway"}.isdisjoint(loaded.split())
