"""What `aar` says and does where a service does not answer: no leg and no page is to blame."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import stamina
from click.testing import CliRunner
from stamina.instrumentation import get_on_retry_hooks, set_on_retry_hooks

from pytest_aar import cli
from pytest_aar.cli import aar
from pytest_aar.errors import CassetteMissing, ModelUnavailable, ServiceUnavailable

GENERATE = ("generate", "--variant", "linear", "--difficulty", "easy")


@pytest.fixture(autouse=True)
def hurried() -> Iterator[None]:
    """Two tries without a wait; afterwards nothing tells of tries any more."""
    hooks = get_on_retry_hooks()
    with stamina.set_testing(True, attempts=2, cap=True):
        yield
    set_on_retry_hooks(hooks)


@pytest.fixture
def nobody() -> tuple[str, ...]:
    """The live world, its encyclopedia on a port where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    wiki = f"wikipedia=http://127.0.0.1:{port}/w/api.php"
    return "--world", "live", "--services", wiki, "--limits", "wikipedia=off"


def test_legs_are_not_made_without_the_encyclopedia(nobody: tuple[str, ...], tmp_path: Path):
    before = get_on_retry_hooks()
    done = CliRunner().invoke(aar, [*GENERATE, *nobody, "--out", str(tmp_path)])
    assert isinstance(done.exception, ServiceUnavailable)
    assert "fetch_webpage: wikipedia at 127.0.0.1" in str(done.exception)
    assert "no leg for" not in done.output
    assert get_on_retry_hooks() != before  # tries are told in our words


def test_a_leg_is_not_called_broken_where_nobody_answers(nobody: tuple[str, ...], tmp_path: Path):
    text = Path("legs/linear/easy/001.json").read_text()
    leg = tmp_path / "001.json"
    leg.write_text(text.replace("wiki.aar.test", "en.wikipedia.org"))
    done = CliRunner().invoke(aar, ["refresh", str(leg), *nobody])
    assert isinstance(done.exception, ServiceUnavailable)
    assert "broken" not in done.output


def test_errors_name_the_options_of_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("AAR_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    model = ("--planner", "llm", "--model", "m", "--cassettes", str(tmp_path / "tapes"))
    done = CliRunner().invoke(aar, [*GENERATE, *model, "--record", "none", "--out", str(tmp_path)])
    assert isinstance(done.exception, CassetteMissing)
    assert "record it with --record=once (needs the model" in str(done.exception)
    done = CliRunner().invoke(aar, [*GENERATE, *model, "--out", str(tmp_path)])
    assert isinstance(done.exception, ModelUnavailable)
    assert "another server with --base-url" in str(done.exception)
    assert "--aar-" not in str(done.exception)


@pytest.mark.parametrize(
    ("error", "status"),
    [(ServiceUnavailable("x"), 3), (ModelUnavailable("x"), 3), (CassetteMissing("x"), 1)],
)
def test_a_service_that_fails_has_an_exit_status_of_its_own(
    error: Exception, status: int, monkeypatch: pytest.MonkeyPatch
):
    def fails(prog_name: str) -> None:
        raise error

    monkeypatch.setattr(cli, "aar", fails)
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == status
