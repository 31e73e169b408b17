"""The options of commands that call tools, and what pytest's ini file says in their place."""

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
