"""`aar cassettes list|show|verify`."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from recorded_race import MODEL, ask_all, counting, record, record_tools, three_calls

from pytest_aar.cassettes import Metadata, open_tape
from pytest_aar.cassettes.paths import bodies_path
from pytest_aar.cli.cassettes import command
from pytest_aar.errors import CassetteMissing, ConfigurationError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    metadata = Metadata(agent="react", model="m", agent_version="1.2")
    record(tmp_path / "dag/easy/001/react--m.json", three_calls(), metadata=metadata)
    record_tools(tmp_path / "dag/easy/001/tools.json", ["https://w.test/geo?q=Oslo"])
    return tmp_path


def aar(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def test_list(folder: Path) -> None:
    result = aar("list", folder)
    lines = result.output.splitlines()
    assert result.exit_code == 0
    assert lines[2].split()[:4] == [str(folder / "dag/easy/001/react--m.json"), "react", "m", "3"]
    assert lines[0].split()[-1] == "state"
    assert lines[2].split()[-1] == "whole"
    assert lines[3].split()[:2] == [str(folder / "dag/easy/001/tools.json"), "1"]


def test_list_names_interrupted_recordings(folder: Path) -> None:
    tape = open_tape(folder / "l/react--m.json", mode="once", options=MODEL)
    ask_all(tape, counting(), three_calls()[:2])
    tape.close()
    assert "react--m.partial: interrupted recording, 2 interactions" in aar("list", folder).output


def test_list_of_an_empty_folder(tmp_path: Path) -> None:
    assert aar("list", tmp_path).output == f"{tmp_path}: no cassettes\n"


def test_show(folder: Path) -> None:
    result = aar("show", folder / "dag/easy/001/react--m.json")
    assert result.exit_code == 0
    assert "agent_version: 1.2" in result.output
    assert "openai/v1/chat/completions" in result.output
    assert "user: how high?" in result.output


def test_show_one_interaction(folder: Path) -> None:
    output = aar("show", folder / "dag/easy/001/react--m.json", "-n", 1).output
    assert '[user] {"content":"where is Oslo?","role":"user"}' in output
    assert output.rstrip().endswith('{"answer":2}')


def test_show_of_what_is_not_there(folder: Path) -> None:
    path = folder / "dag/easy/001/react--m.json"
    wrong = aar("show", path, "-n", 3).exception
    assert isinstance(wrong, ConfigurationError)
    assert "no interaction 3; valid numbers: 0 to 2" in str(wrong)
    missing = aar("show", folder / "x.json").exception
    assert isinstance(missing, CassetteMissing)
    assert "aar cassettes list" in str(missing)


def test_verify(folder: Path) -> None:
    result = aar("verify", folder)
    assert (result.exit_code, result.output) == (0, "2 cassettes, all whole\n")


@pytest.mark.parametrize("which", ["index", "bodies", "lost index"])
def test_verify_and_list_name_what_is_damaged(folder: Path, which: str) -> None:
    path = folder / "dag/easy/001/react--m.json"
    if which == "lost index":
        path.unlink()
    else:
        file = path if which == "index" else bodies_path(path)
        file.write_bytes(file.read_bytes()[:-1])
    result = aar("verify", folder)
    assert result.exit_code == 1
    assert "react--m" in result.stderr
    assert "--aar-record=all" in result.stderr
    listed = aar("list", folder)
    assert listed.exit_code == 1
    assert "damaged" in listed.stdout
    assert listed.stderr == f"1 damaged: `aar cassettes verify {folder}` says why\n"


def test_other_json_is_not_a_cassette_and_not_to_be_restored(folder: Path) -> None:
    leg = folder / "legs/001.json"
    leg.parent.mkdir()
    leg.write_text('{"trail_id": 1, "stops": []}')
    listed = aar("list", folder)
    assert listed.exit_code == 0
    assert "not a cassette" in next(line for line in listed.stdout.splitlines() if "legs" in line)
    shown, verified = aar("show", leg), aar("verify", folder)
    assert verified.exit_code == 1
    assert len(verified.stderr.splitlines()) == 1
    for text in (str(shown.exception), verified.stderr):
        assert (
            f"not a cassette, but JSON of another kind. Its place is {leg}. Give a file or folder of"
            in text
        )
        assert "git checkout" not in text


def test_an_edited_cassette_is_not_taken_for_other_json(folder: Path) -> None:
    path = folder / "dag/easy/001/react--m.json"
    path.write_text(json.dumps(json.loads(path.read_text())))
    assert "damaged or edited" in aar("verify", path).stderr


def test_show_of_a_folder_asks_for_a_file(folder: Path) -> None:
    wrong = aar("show", folder).exception
    assert isinstance(wrong, ConfigurationError)
    assert f"{folder} is a folder; give the file of one cassette" in str(wrong)


@pytest.mark.parametrize("others", [0, 1])
def test_verify_without_any_cassette_is_wrong_usage(tmp_path: Path, others: int) -> None:
    for number in range(others):
        (tmp_path / f"{number}.json").write_text("[]")
    wrong = aar("verify", tmp_path).exception
    assert isinstance(wrong, ConfigurationError)
    assert f"{tmp_path}: no cassettes in it or below ({others} JSON files" in str(wrong)


def test_no_such_folder(tmp_path: Path) -> None:
    error = aar("verify", tmp_path / "none").exception
    assert isinstance(error, CassetteMissing)
    assert "no such folder or cassette" in str(error)
