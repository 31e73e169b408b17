"""`aar cassettes diff|prune|scan`."""

import gzip
import json
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner, Result
from handmade_legs import diamond, linear
from recorded_race import (
    MODEL,
    ask_all,
    conversation,
    counting,
    record,
    record_tools,
    three_calls,
)

from pytest_aar.cassettes import Metadata, open_tape
from pytest_aar.cassettes.paths import bodies_path
from pytest_aar.cli.cassettes import command
from pytest_aar.errors import CassetteMissing, ConfigurationError
from pytest_aar.leg_file import read_leg

CASSETTES = Path(__file__).parents[2] / "cassettes"
KEY = "planted-secret-7f3a9c"


def aar(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


class TestDiff:
    def test_equal_cassettes(self, tmp_path: Path) -> None:
        for side in ("1", "2"):
            record(tmp_path / side / "l/a--m.json", three_calls(), metadata=Metadata(agent="a"))
        result = aar("diff", tmp_path / "1", tmp_path / "2")
        assert (result.exit_code, result.output) == (0, "1 compared: none differ\n")
        assert aar("diff", tmp_path / "1/l/a--m.json", tmp_path / "2/l/a--m.json").exit_code == 0

    def test_the_first_differing_message_is_shown_with_both_texts(self, tmp_path: Path) -> None:
        one, other = tmp_path / "one.json", tmp_path / "other.json"
        record(one, three_calls(), metadata=Metadata(agent="a", agent_version="1"))
        calls = [*three_calls()[:2], conversation("be quick", "where is Oslo?", "in Sweden", "?")]
        record(other, calls, metadata=Metadata(agent="a", agent_version="2"))
        result = aar("diff", one, other)
        assert result.exit_code == 1
        assert result.output.splitlines() == [
            f"{one} and {other}:",
            "  agent_version: 1 -> 2",
            "  3 and 3 interactions; 1 differ, from number 2 on",
            "    first difference in message 2 (role assistant, counted from 0; 4 and 4 messages)",
            '      first:  {"content":"in Norway","role":"assistant"}',
            '      second: {"content":"in Sweden","role":"assistant"}',
            "1 compared: 1 differ",
        ]

    def test_a_field_beside_the_messages(self, tmp_path: Path) -> None:
        one, other = tmp_path / "one.json", tmp_path / "other.json"
        record(one, [conversation("s")])
        record(other, [conversation("s", temperature=1)])
        output = aar("diff", one, other).output
        assert "field temperature of the request differs" in output

    def test_an_answer(self, tmp_path: Path) -> None:
        one, other = tmp_path / "one.json", tmp_path / "other.json"
        record(one, [conversation("s")], lambda request: httpx.Response(200, text="yes"))
        record(other, [conversation("s")], lambda request: httpx.Response(400, text="no"))
        output = aar("diff", one, other).output
        assert "status 200 -> 400" in output
        assert "first:  yes" in output
        assert "second: no" in output

    def test_one_conversation_is_longer(self, tmp_path: Path) -> None:
        one, other = tmp_path / "one.json", tmp_path / "other.json"
        record(one, three_calls())
        record(other, three_calls()[:2])
        assert "3 and 2 interactions; 1 differ, from number 2 on" in aar("diff", one, other).output

    def test_tools_are_compared_by_request_whatever_their_order(self, tmp_path: Path) -> None:
        one, other = tmp_path / "one/tools.json", tmp_path / "other/tools.json"
        record_tools(one, ["https://w.test/a", "https://w.test/c"])
        record_tools(other, ["https://w.test/b", "https://w.test/c"])
        output = aar("diff", one, other).output
        assert "only in the first: GET https://w.test/a" in output
        assert "only in the second: GET https://w.test/b" in output
        assert "GET https://w.test/c" not in output

    def test_folders_name_what_only_one_of_them_has(self, tmp_path: Path) -> None:
        record(tmp_path / "1/l/a--m.json", three_calls())
        record(tmp_path / "2/k/a--m.json", three_calls())
        result = aar("diff", tmp_path / "1", tmp_path / "2")
        assert result.exit_code == 1
        assert f"only in {tmp_path / '1'}: {tmp_path / '1/l/a--m.json'}" in result.output
        assert result.output.endswith("0 compared: none differ, 2 in one folder only\n")

    def test_what_can_not_be_compared(self, tmp_path: Path) -> None:
        record(tmp_path / "1/l/a--m.json", three_calls())
        mixed = aar("diff", tmp_path / "1", tmp_path / "1/l/a--m.json").exception
        assert isinstance(mixed, CassetteMissing)
        assert "give two cassettes, or two folders" in str(mixed)
        missing = aar("diff", tmp_path / "1", tmp_path / "none").exception
        assert isinstance(missing, CassetteMissing)
        assert "no such folder or cassette" in str(missing)


class TestPrune:
    @pytest.fixture
    def place(self, tmp_path: Path) -> Path:
        """Two legs; cassettes of both, one of another state, and of a leg that is gone."""
        for leg_id, wire in (("linear/easy/001", linear()), ("dag/easy/002", diamond())):
            path = tmp_path / f"legs/{leg_id}.json"
            path.parent.mkdir(parents=True)
            path.write_text(json.dumps(wire))
        sha256 = read_leg(
            tmp_path / "legs/linear/easy/001.json", legs_root=tmp_path / "legs"
        ).sha256
        folder = tmp_path / "cassettes"
        record(
            folder / "linear/easy/001/a--m.json",
            three_calls(),
            metadata=Metadata(leg_sha256=sha256),
        )
        record(
            folder / "dag/easy/002/a--m.json", three_calls(), metadata=Metadata(leg_sha256="old")
        )
        record_tools(folder / "dag/easy/002/tools.json", ["https://w.test/"])
        record(folder / "dag/easy/003/a--m.json", three_calls())
        record_tools(folder / "dag/easy/003/tools.json", ["https://w.test/"])
        return folder

    def prune(self, place: Path, *more: str) -> Result:
        return aar("prune", place, "--legs", place.parent / "legs", *more)

    def test_it_says_what_is_left_over_and_deletes_nothing(self, place: Path) -> None:
        before = sorted(place.rglob("*"))
        result = self.prune(place)
        assert result.exit_code == 0
        assert result.output.splitlines() == [
            f"{place}/dag/easy/002/a--m.json: recorded for another state of its leg",
            f"{place}/dag/easy/003/a--m.json: its leg no longer exists",
            f"{place}/dag/easy/003/tools.json: its leg no longer exists",
            "6 files; nothing was deleted, --yes deletes them",
        ]
        assert sorted(place.rglob("*")) == before

    def test_yes_deletes_them_and_empty_folders(self, place: Path) -> None:
        assert self.prune(place, "--yes").output.endswith("6 files deleted\n")
        kept = {str(path.relative_to(place)) for path in place.rglob("*") if path.is_file()}
        assert kept == {
            "linear/easy/001/a--m.json",
            "linear/easy/001/a--m.bodies.gz",
            "dag/easy/002/tools.json",
            "dag/easy/002/tools.bodies.gz",
        }
        assert not (place / "dag/easy/003").exists()
        assert self.prune(place).output == f"{place}: nothing to prune\n"

    def test_bodies_without_an_index(self, place: Path) -> None:
        index = place / "linear/easy/001/a--m.json"
        index.unlink()
        assert f"{bodies_path(index)}: bodies without an index" in self.prune(place).output

    def test_damaged_cassettes_and_interrupted_recordings_of_a_leg_stay(self, place: Path) -> None:
        index = place / "linear/easy/001/a--m.json"
        index.write_bytes(index.read_bytes()[:-3])
        tape = open_tape(index.with_name("b--m.json"), mode="once", options=MODEL)
        ask_all(tape, counting(), three_calls())
        tape.close()
        assert "linear" not in self.prune(place).output

    def test_an_interrupted_recording_of_a_leg_that_is_gone(self, place: Path) -> None:
        tape = open_tape(place / "dag/easy/004/b--m.json", mode="once", options=MODEL)
        ask_all(tape, counting(), three_calls())
        assert "b--m.partial" not in self.prune(place).output  # it is under way
        tape.close()
        assert "b--m.partial: its leg no longer exists" in self.prune(place).output

    def test_other_json_is_left_alone(self, place: Path) -> None:
        (place / "notes.json").write_text("{}")
        assert "notes.json" not in self.prune(place).output

    def test_without_legs_nothing_is_taken_for_left_over(self, place: Path) -> None:
        wrong = aar("prune", place, "--legs", place.parent / "none", "--yes").exception
        assert isinstance(wrong, ConfigurationError)
        assert "no legs there, and without them every cassette would be left over" in str(wrong)
        assert (place / "dag/easy/003/a--m.json").exists()

    def test_a_part_of_the_legs_is_not_their_root(self, place: Path) -> None:
        wrong = aar("prune", CASSETTES, "--legs", CASSETTES.parent / "legs/linear").exception
        assert isinstance(wrong, ConfigurationError)
        assert "its leg is there, but under another id" in str(wrong)
        assert "give that folder with --legs" in str(wrong)

    def test_one_file_is_not_the_folder(self, place: Path) -> None:
        wrong = self.prune(place / "dag/easy/003/a--m.json").exception
        assert isinstance(wrong, ConfigurationError)
        assert "is a file; give the folder of all cassettes" in str(wrong)


class TestScan:
    def test_the_committed_cassettes_hold_no_secrets(self) -> None:
        result = aar("scan", CASSETTES)
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.output.endswith(" files, no secrets\n")

    def test_a_value_of_the_environment_in_bodies_is_located(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def answer(request: httpx.Request) -> httpx.Response:
            return httpx.Response(200, text=KEY if b"high" in request.content else "")

        record(tmp_path / "l/a--m.json", three_calls(), answer)
        assert aar("scan", tmp_path).exit_code == 0
        monkeypatch.setenv("SOME_API_KEY", KEY)
        result = aar("scan", tmp_path)
        assert result.exit_code == 1
        assert result.stderr.splitlines()[0] == (
            f"{tmp_path}/l/a--m.bodies.gz, interaction 2: the value of SOME_API_KEY"
        )
        assert "Revoke what is real" in result.stderr
        assert KEY not in result.output

    def test_lines_of_a_run(self, tmp_path: Path) -> None:
        path = tmp_path / "run/traces/l.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text('{}\n{"text": "ghp_' + "a1B2" * 9 + '"}\n')
        result = aar("scan", tmp_path / "run")
        assert result.exit_code == 1
        assert f"{path}:2: GitHub token" in result.stderr

    def test_bodies_without_an_index_and_damaged_ones(self, tmp_path: Path) -> None:
        (tmp_path / "a.bodies.gz").write_bytes(gzip.compress(b"ghp_" + b"a1B2" * 9))
        (tmp_path / "b.bodies.gz").write_bytes(gzip.compress(b"x" * 99)[:-9])
        lines = aar("scan", tmp_path).stderr.splitlines()
        assert lines[0] == f"{tmp_path}/a.bodies.gz: GitHub token"
        assert lines[1].startswith(f"{tmp_path}/b.bodies.gz: can't be looked into (")

    def test_nothing_there(self, tmp_path: Path) -> None:
        missing = aar("scan", tmp_path / "none").exception
        assert isinstance(missing, CassetteMissing)
        assert "give cassettes or a run's folder" in str(missing)
