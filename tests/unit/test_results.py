import json
from pathlib import Path

import pytest
from disk_room import room_for
from race_records import LOST, broken, record

from pytest_aar.errors import ConfigurationError
from pytest_aar.reports.changes import changes
from pytest_aar.results import (
    ReadRun,
    RunFolder,
    baseline_of,
    check_resumable,
    dump,
    from_json,
    load,
    load_run,
    read_races,
    to_json,
    trace_name,
    write_trace,
)
from pytest_aar.results.folder import read_trace, replace
from pytest_aar.results.mask import read_mask
from pytest_aar.trace import ModelCall, ToolCall, Trace


def test_a_line_reads_back_as_it_was() -> None:
    for race in (
        record("dag/easy/1", LOST, templates=("poi_count",), stale=("x",), replay={"hits": 3}),
        broken("dag/easy/2"),
    ):
        assert from_json(json.loads(json.dumps(to_json(race)))) == race


def test_fields_of_later_versions_are_dropped() -> None:
    race = record("dag/easy/1")
    assert from_json({**to_json(race), "wind": "fair"}) == race


def test_the_folder_appears_with_the_first_result_and_holds_all(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "deep" / "run")
    folder.check()
    assert not list(tmp_path.iterdir())
    folder.begin({"run": "run"})
    races = [record("dag/easy/1"), broken("dag/easy/2")]
    for race in races:
        folder.append(race)
    folder.finish({"gate": {"passed": True}})
    assert read_races(folder.path) == ReadRun(races=tuple(races))
    written = json.loads((folder.path / "run.json").read_text())
    assert written == {"run": "run", "gate": {"passed": True}}


def run_with(tmp_path: Path, text: str) -> Path:
    """A run of one race, and this text behind its line."""
    folder = RunFolder(tmp_path)
    folder.begin({"run": "r"})
    folder.append(record("dag/easy/1"))
    with (tmp_path / "results.jsonl").open("a") as stream:
        stream.write(text)
    return tmp_path


def test_a_line_torn_by_a_kill_is_left_out_and_told(tmp_path: Path) -> None:
    found = read_races(run_with(tmp_path, '{"schema": 1, "leg": "dag/ea'))
    assert [race.leg for race in found.races] == ["dag/easy/1"]
    assert found.faults == (f"{tmp_path}/results.jsonl:2 was not written whole, left out",)


def test_a_torn_line_may_end_inside_a_character(tmp_path: Path) -> None:
    run_with(tmp_path, "")
    with (tmp_path / "results.jsonl").open("ab") as stream:
        stream.write('{"detail": "é'.encode()[:-1])
    assert len(read_races(tmp_path).races) == 1


def test_damaged_lines_cost_no_other_line(tmp_path: Path) -> None:
    """A torn line that a whole one was appended to, and a line of something else."""
    whole = json.dumps(to_json(record("dag/easy/2")))
    found = read_races(run_with(tmp_path, f'{{"leg": "dag{whole}\n{{"leg": "x"}}\n{whole}\n'))
    assert [race.leg for race in found.races] == ["dag/easy/1", "dag/easy/2"]
    assert [fault.split(" is not")[0] for fault in found.faults] == [
        f"{tmp_path}/results.jsonl:2", f"{tmp_path}/results.jsonl:3",
    ]  # fmt: skip
    assert load_run(tmp_path).faults == found.faults


def test_a_file_without_any_race_is_refused(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_text('{"leg": "x"}\n')
    with pytest.raises(ConfigurationError, match=r"results\.jsonl:1 is not the result of a race"):
        read_races(tmp_path)


def test_a_short_write_leaves_nothing_of_its_line(tmp_path: Path) -> None:
    folder = RunFolder(run_with(tmp_path, ""))
    folder.begun = True
    file = tmp_path / "results.jsonl"
    before = file.read_bytes()
    with room_for(len(before) + 40), pytest.raises(OSError, match="File too large"):
        folder.append(record("dag/easy/2"))
    assert file.read_bytes() == before
    folder.append(record("dag/easy/3"))
    found = read_races(tmp_path)
    assert [race.leg for race in found.races] == ["dag/easy/1", "dag/easy/3"]
    assert found.faults == ()


def test_a_folder_that_can_not_be_written_is_refused_before_the_first_race(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match=r"can't write results to .*file/run"):
        RunFolder(tmp_path / "file" / "run").check()


def test_a_folder_with_results_is_not_mixed_with_another_runs(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_text("")
    with pytest.raises(ConfigurationError, match="already holds the results of a run"):
        RunFolder(tmp_path).check()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_an_error_of_the_system_not_a_torn_line(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.begin({})
    (folder.path / "results.jsonl").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        folder.append(record("dag/easy/1"))


def test_a_trace_is_one_event_a_line(tmp_path: Path) -> None:
    trace = Trace(
        events=(
            ModelCall(protocol="openai-chat", model="m", status=200),
            ToolCall(name="web_search", arguments={"query": "x"}, ok=True, text="é"),
        )
    )
    path = tmp_path / trace_name("dag/easy/1", 2)
    write_trace(path, trace)
    assert path == tmp_path / "traces/dag/easy/1--r2.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line["event"] for line in lines] == ["model", "tool"]
    assert lines[1]["text"] == "é"
    assert list(path.parent.iterdir()) == [path]


def test_texts_that_are_no_unicode_read_back_as_they_were(tmp_path: Path) -> None:
    call = ToolCall(name="\ud800", arguments={"query": "\udfff"}, ok=False, text="é\ud800")
    write_trace(tmp_path / "t.jsonl", Trace(events=(call,)))
    assert read_trace(tmp_path / "t.jsonl").events == (call,)
    folder = RunFolder(tmp_path / "run")
    folder.begin({})
    folder.append(record("dag/easy/1", detail="said \ud800"))
    assert [race.detail for race in read_races(folder.path).races] == ["said \ud800"]


def test_a_value_that_is_no_json_is_a_fault_and_leaves_no_file(tmp_path: Path) -> None:
    call = ToolCall(name="x", arguments={}, ok=True, text="", details={"at": Path("/")})
    with pytest.raises(TypeError, match="not JSON serializable"):
        write_trace(tmp_path / "t.jsonl", Trace(events=(call,)))
    with pytest.raises(UnicodeEncodeError):
        replace(tmp_path / "t", "\ud800")
    assert list(tmp_path.iterdir()) == []


BEFORE = [record("dag/easy/1"), record("dag/easy/2", LOST), record("dag/easy/3")]
AFTER = [record("dag/easy/1", LOST), record("dag/easy/2"), broken("dag/easy/3")]
RUN = {"run": "r", "subject": {"agent": "guess"}, "profile": {"repeat": 1}}


def test_a_baseline_reads_back_and_is_one_leg_a_line(tmp_path: Path) -> None:
    baseline = baseline_of(AFTER, RUN)
    path = tmp_path / "baseline.json"
    path.write_text(dump(baseline))
    assert load(path) == baseline
    assert sum("dag/easy/" in line for line in path.read_text().splitlines()) == 3


def test_a_race_that_never_began_brings_no_version_of_its_own() -> None:
    races = [record("dag/easy/1", agent_version="2"), broken("dag/easy/2", agent_version="")]
    assert baseline_of(races, RUN).subject["agent_versions"] == ["2"]


def test_changes_name_won_and_lost_legs() -> None:
    found = changes(baseline_of(BEFORE, RUN), baseline_of(AFTER, RUN))
    assert found.comparable
    assert (found.worse, found.better) == (("dag/easy/1",), ("dag/easy/2",))
    assert "lost now: 1: dag/easy/1" in found.lines


def test_another_agent_is_named_but_no_obstacle() -> None:
    other = {**RUN, "subject": {"agent": "react"}}
    found = changes(baseline_of(BEFORE, RUN), baseline_of(BEFORE, other))
    assert found.comparable
    assert "agent: 'guess' -> 'react'" in found.lines


def test_other_legs_or_another_measure_can_not_be_compared_and_the_text_says_why() -> None:
    other = {**RUN, "profile": {"repeat": 2}}
    changed = record("dag/easy/3", sha256="another")
    found = changes(
        baseline_of(BEFORE, RUN), baseline_of([*BEFORE[:1], changed, record("dag/hard/9")], other)
    )
    assert not found.comparable
    text = "\n".join(found.lines)
    assert "repeat: 1 before, 2 now" in text
    assert "1 legs missing now: dag/easy/2" in text
    assert "1 legs new: dag/hard/9" in text
    assert "1 legs with another content: dag/easy/3" in text


def test_what_is_no_baseline_is_refused_with_the_way_to_make_one(tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    path.write_text('{"legs": 3}')
    with pytest.raises(ConfigurationError, match="aar baseline save RUN"):
        load(path)


@pytest.mark.parametrize(
    ("text", "said"), [("[1]", "no JSON object"), ("[" * 100_000, "nested too deeply")]
)
def test_a_run_that_does_not_say_what_was_raced_is_neither_compared_nor_resumed(
    tmp_path: Path, text: str, said: str
) -> None:
    run_with(tmp_path, "")
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(ConfigurationError, match=rf"run\.json: {said}.*; give the folder of a run"):
        load(tmp_path)
    with pytest.raises(ConfigurationError, match=rf"run\.json: {said}.*: choose another folder"):
        check_resumable(tmp_path, {})


def test_files_that_are_nested_too_deeply_are_refused_like_others(tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text("[" * 100_000)
    for read, said in ((load, "is no baseline"), (read_mask, "is no mask of legs")):
        with pytest.raises(ConfigurationError, match=said):
            read(path)


def test_a_torn_line_is_taken_away_before_a_resumed_run_adds_its_own(tmp_path: Path) -> None:
    run_with(tmp_path, '{"schema": 1, "leg": "dag/easy/2')
    folder = RunFolder(tmp_path)
    now = {"started_at": 7.0, "versions": {}, "git_commit": None, "subject": {}}
    folder.resume(now)
    folder.append(record("dag/easy/3"))
    folder.append(record("dag/easy/4"))
    found = read_races(tmp_path)
    assert [race.leg for race in found.races] == ["dag/easy/1", "dag/easy/3", "dag/easy/4"]
    assert not found.faults
    written = json.loads((tmp_path / "run.json").read_text())
    assert written["resumed"] == [{"started_at": 7.0, "versions": {}, "git_commit": None}]
    assert written["run"] == "r"


def test_a_resumed_folder_without_results_is_begun_like_any_other(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.resume({})
    assert not folder.begun
    folder.begin({"run": "run"})
    folder.append(record("dag/easy/1"))
    assert "resumed" not in json.loads((tmp_path / "run/run.json").read_text())


@pytest.mark.parametrize(
    ("now", "said"),
    [
        ({"subject": {"model": "a"}, "profile": {"timeout": 5}}, None),
        (
            {"subject": {"model": "b"}, "profile": {"timeout": 5, "new": 1}},
            "model was 'a' and is 'b' now; new was None and is 1 now; give the options of that run",
        ),
    ],
)
def test_a_run_is_resumed_by_the_same_subject_and_profile_only(
    tmp_path: Path, now: dict, said: str | None
) -> None:
    check_resumable(tmp_path, now)  # nothing there yet
    folder = RunFolder(tmp_path)
    folder.begin({"subject": {"model": "a"}, "profile": {"timeout": 5}})
    folder.append(record("dag/easy/1"))
    if said is None:
        check_resumable(tmp_path, now)
    else:
        with pytest.raises(ConfigurationError, match=said):
            check_resumable(tmp_path, now)
