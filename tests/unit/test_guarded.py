"""The one place where kept files are written: whole, or not at all, and never with a secret."""

import dataclasses
import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from disk_room import room_for
from race_records import record

from pytest_aar.errors import SecretFound
from pytest_aar.guarded import append, check, secrets_of, temporary, write_file, write_files
from pytest_aar.race.discretion import censored_race
from pytest_aar.race.records import Race
from pytest_aar.reports.censored import censor_report
from pytest_aar.results import RunFolder, provenance_of, read_races, write_trace
from pytest_aar.results.folder import read_trace
from pytest_aar.secrets import REDACTED, Secrets
from pytest_aar.settings import Settings
from pytest_aar.trace import ToolCall, Trace

KEY = "planted-secret-7f3a9c"
SECRETS = Secrets.from_values([KEY])
AWS = "AKIA" + "Q7RZ" * 4


def test_a_refusal_names_file_and_kind_and_not_the_secret(tmp_path: Path) -> None:
    with pytest.raises(SecretFound) as refusal:
        check(tmp_path / "x.json", f"{KEY} {AWS}".encode(), SECRETS)
    text = str(refusal.value)
    assert text.startswith(
        f"{tmp_path}/x.json: not written, it would hold the value of a secret, AWS access key."
    )
    assert "revoke what is real" in text
    assert KEY not in text
    assert AWS not in text


def test_who_names_no_secrets_gets_the_environments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_TOKEN", KEY)
    with pytest.raises(SecretFound, match="the value of SOME_TOKEN"):
        write_file(tmp_path / "x", KEY)
    assert not list(tmp_path.iterdir())


def test_a_refused_file_is_as_it_was(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    write_file(one, "old", secrets=SECRETS)
    with pytest.raises(SecretFound, match="other"):
        write_files({one: b"new", other: KEY.encode()}, secrets=SECRETS)
    assert one.read_text() == "old"
    assert list(tmp_path.iterdir()) == [one]


def test_what_packed_contents_hold_is_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    with pytest.raises(SecretFound):
        write_files({path: b"packed"}, secrets=SECRETS, unpacked={path: KEY.encode()})
    assert not list(tmp_path.iterdir())


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_file(path, "old", secrets=SECRETS)
    with room_for(10), pytest.raises(OSError, match="File too large"):
        write_file(path, "x" * 99, secrets=SECRETS)
    assert path.read_text() == "old"
    assert not temporary(path).exists()


def test_a_link_stays_a_link_and_a_pipe_a_pipe(tmp_path: Path) -> None:
    file, link, pipe = tmp_path / "file", tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(file)
    write_file(link, "x", secrets=SECRETS)
    assert (file.read_text(), link.is_symlink()) == ("x", True)
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_file(pipe, "through", secrets=SECRETS)
    assert os.read(reader, 99) == b"through"
    with pytest.raises(SecretFound):
        write_file(pipe, KEY, secrets=SECRETS)
    os.close(reader)


def test_nothing_is_added_of_what_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    append(handle, b"good\n", path=path, secrets=SECRETS)
    with pytest.raises(SecretFound):
        append(handle, KEY.encode(), path=path, secrets=SECRETS)
    with pytest.raises(SecretFound):
        append(handle, b"packed", path=path, secrets=SECRETS, unpacked=KEY.encode())
    os.close(handle)
    assert path.read_text() == "good\n"


def test_the_secrets_of_a_run_are_also_those_of_its_options() -> None:
    settings = Settings(
        agent_options={"api_key": "option-value-1"},
        model_options={"extra_headers": '{"authorization": "option-value-2"}'},
        base_url="https://models.test/v1?key=option-value-3",
    )
    text = secrets_of(settings).redact("option-value-1 option-value-2 option-value-3")
    assert text == " ".join([REDACTED] * 3)
    written = json.dumps(provenance_of(Path("run"), settings, Path.cwd()), default=str)
    assert "option-value" not in written


class TestTrace:
    def test_values_are_redacted_wherever_they_stand(self, tmp_path: Path) -> None:
        call = ToolCall(
            name="search",
            arguments={KEY: [KEY, {"deep": f"x{KEY}"}]},
            ok=True,
            text=json.dumps({"a": KEY}),
        )
        write_trace(tmp_path / "t.jsonl", Trace(events=(call,)), secrets=SECRETS)
        (read,) = read_trace(tmp_path / "t.jsonl").events
        assert isinstance(read, ToolCall)
        assert read.arguments == {REDACTED: [REDACTED, {"deep": f"x{REDACTED}"}]}
        assert read.text == json.dumps({"a": REDACTED})

    def test_one_with_an_unknown_key_is_not_written(self, tmp_path: Path) -> None:
        call = ToolCall(name="search", arguments={}, ok=True, text=AWS)
        with pytest.raises(SecretFound, match=r"t\.jsonl: not written, .* AWS access key"):
            write_trace(tmp_path / "t.jsonl", Trace(events=(call,)), secrets=SECRETS)
        assert not list(tmp_path.iterdir())


class TestResults:
    def test_a_line_is_redacted(self, tmp_path: Path) -> None:
        folder = RunFolder(tmp_path, secrets=SECRETS)
        folder.begin({"run": "r", "subject": {"agent_options": {"x": KEY}}})
        folder.append(dataclasses.replace(record("dag/easy/1"), detail=f"said {KEY}"))
        assert read_races(tmp_path).races[0].detail == f"said {REDACTED}"
        folder.finish({"gate": {"verdict": KEY}})
        written = json.loads((tmp_path / "run.json").read_text())
        assert written["gate"] == {"verdict": REDACTED}
        assert written["subject"] == {"agent_options": {"x": REDACTED}}

    def test_a_refused_line_is_an_infrastructure_error_and_the_rest_stands(
        self, tmp_path: Path
    ) -> None:
        folder = RunFolder(tmp_path, secrets=SECRETS)
        folder.begin({})
        folder.append(record("dag/easy/1"))
        written = folder.append(dataclasses.replace(record("dag/easy/2"), detail=AWS))
        folder.append(record("dag/easy/3"))
        assert [race.outcome for race in read_races(tmp_path).races] == [
            "answered", "infrastructure", "answered",
        ]  # fmt: skip
        assert read_races(tmp_path).races[1] == written
        assert (written.error, written.score, written.answer) == ("SecretFound", None, None)
        assert "results.jsonl: not written, it would hold AWS access key" in written.detail

    def test_a_secret_in_the_name_of_the_race(self, tmp_path: Path) -> None:
        folder = RunFolder(tmp_path, secrets=SECRETS)
        folder.begin({})
        with pytest.raises(SecretFound):
            folder.append(record(f"dag/easy/{AWS}"))
        assert (tmp_path / "results.jsonl").read_text() == ""


class TestDiscretion:
    def race(self, **fields: object) -> Race:
        line = dataclasses.replace(record("dag/easy/1"), **fields)
        return Race(
            leg=SimpleNamespace(),
            trace=Trace(),
            finish=SimpleNamespace(answer=3),
            score=line.score,
            problem=None,
            record=line,
            trace_path=Path("t"),
        )

    def test_what_is_said_for_people_is_censored(self) -> None:
        race = censored_race(
            self.race(detail=f"{KEY} {AWS}", evidence=(f"saw {AWS}",)), SECRETS, Path("results")
        )
        assert race.record.detail == f"{REDACTED} {REDACTED}"
        assert race.record.evidence == (f"saw {REDACTED}",)
        assert race.won

    def test_a_line_that_still_holds_a_secret_makes_it_an_infrastructure_error(self) -> None:
        race = censored_race(self.race(agent_version=AWS), SECRETS, Path("results"))
        assert isinstance(race.problem, SecretFound)
        assert (race.finish, race.score, race.outcome) == (None, None, "infrastructure")
        assert not race.won


def test_reports_are_censored_with_their_pictures_of_exceptions() -> None:
    def raise_it() -> None:
        local = f"{KEY} {AWS}"
        raise ValueError(local)

    with pytest.raises(ValueError, match="planted") as caught:
        raise_it()
    report = SimpleNamespace(
        longrepr=caught.getrepr(showlocals=True, style="long", funcargs=True),
        sections=[("Captured stdout", f"x {KEY}")],
        user_properties=[("said", KEY), ("count", 3)],
    )
    assert KEY in str(report.longrepr)
    censor_report(report, SECRETS.censor)
    assert KEY not in str(report.longrepr)
    assert AWS not in str(report.longrepr)
    assert f"ValueError: {REDACTED} {REDACTED}" in str(report.longrepr)
    assert report.longrepr.reprcrash.message == f"ValueError: {REDACTED} {REDACTED}"
    assert report.sections == [("Captured stdout", f"x {REDACTED}")]
    assert report.user_properties == [("said", REDACTED), ("count", 3)]


def test_a_skip_is_censored_and_a_pass_has_nothing() -> None:
    report = SimpleNamespace(
        longrepr=("f.py", 3, f"Skipped: {KEY}"), sections=[], user_properties=[]
    )
    censor_report(report, SECRETS.censor)
    assert report.longrepr == ("f.py", 3, f"Skipped: {REDACTED}")
    report.longrepr = None
    censor_report(report, SECRETS.censor)
    assert report.longrepr is None
