"""Cassettes on disk: deterministic, checked, never half written, one recorder."""

import gzip
import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import httpx
import pytest
from disk_room import room_for
from recorded_race import (
    MODEL,
    ROUNDS,
    TOOLS,
    ask_all,
    conversation,
    counting,
    get_all,
    record,
    record_rounds,
    record_tools,
    refuse,
    three_calls,
)

from pytest_aar.cassettes import (
    Metadata,
    TapeOptions,
    cassette_file,
    cassette_path,
    open_tape,
    tools_path,
)
from pytest_aar.cassettes.blobs import sha256_of
from pytest_aar.cassettes.catalogue import verify
from pytest_aar.cassettes.journal import read_journal
from pytest_aar.cassettes.paths import bodies_path, partial_path
from pytest_aar.cassettes.seal import sealed
from pytest_aar.errors import CassetteCorrupted, CassetteMissing, InfrastructureError
from pytest_aar.guarded import temporary


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "dag/easy/001/react--m.json"


@pytest.fixture
def recorded(path: Path) -> Path:
    record(path, three_calls(), metadata=Metadata(agent="react", leg_sha256="ab" * 32))
    return path


def replayed(path: Path) -> list[int]:
    tape = open_tape(path, mode="none", options=MODEL)
    return [each.json()["answer"] for each in ask_all(tape, refuse, three_calls())]


class TestNames:
    def test_layout(self, tmp_path: Path) -> None:
        folder = tmp_path / "dag/easy/001"
        assert (
            cassette_path(tmp_path, "dag/easy/001", "mini-swe", "m") == folder / "mini-swe--m.json"
        )
        assert cassette_path(tmp_path, "dag/easy/001", "a", "m", 2) == folder / "a--m--r2.json"
        assert tools_path(tmp_path, "dag/easy/001") == folder / "tools.json"

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("gpt-4o", "GPT-4o"),
            ("a/b", "a-b"),
            ("a--b", "a-b"),
            ("m r2", "m-r2"),
            ("é", "è"),
            ("..", "."),
        ],
    )
    def test_names_that_fold_alike_stay_apart(self, tmp_path: Path, one: str, other: str) -> None:
        paths = {cassette_path(tmp_path, "l", "a", name) for name in (one, other)}
        assert len({path.name.lower() for path in paths}) == 2
        assert {path.parent for path in paths} == {tmp_path / "l"}

    def test_a_separator_in_a_name_is_no_separator(self, tmp_path: Path) -> None:
        assert cassette_path(tmp_path, "l", "a--b", "c") != cassette_path(
            tmp_path, "l", "a", "b--c"
        )

    def test_names_never_leave_the_folder(self, tmp_path: Path) -> None:
        path = cassette_path(tmp_path, "../../etc", "../x", "/etc/passwd" * 40)
        assert tmp_path in path.resolve().parents
        assert len(path.name) < 255


def without_times(path: Path) -> bytes:
    return b"\n".join(line for line in path.read_bytes().splitlines() if b'_at": {' not in line)


def test_recording_the_same_race_twice_gives_equal_files(tmp_path: Path) -> None:
    one, other = tmp_path / "1/a--m.json", tmp_path / "2/a--m.json"
    for path in (one, other):
        record(path, three_calls())
    assert without_times(one) == without_times(other)
    assert len(one.read_bytes().splitlines()) - len(without_times(one).splitlines()) == 1
    assert bodies_path(one).read_bytes() == bodies_path(other).read_bytes()


def test_shared_tools_do_not_depend_on_the_order_of_agents(tmp_path: Path) -> None:
    one, other = tmp_path / "1/tools.json", tmp_path / "2/tools.json"
    urls = [f"https://w.test/{name}" for name in "abc"]

    def say(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, text=str(request.url))

    record_tools(one, urls, say)
    for url in reversed(urls):
        record_tools(other, [url], say)
    assert without_times(one) == without_times(other)
    assert bodies_path(one).read_bytes() == bodies_path(other).read_bytes()


def test_the_index_is_reviewable(recorded: Path) -> None:
    index = json.loads(recorded.read_bytes())
    assert index["format"] == 1
    assert index["metadata"]["agent"] == "react"
    last = index["interactions"][2]
    assert (last["method"], last["uri"], last["status"]) == (
        "POST",
        "openai/v1/chat/completions",
        200,
    )
    assert (last["kept"], len(last["added"])) == (2, 2)
    assert last["added"][1]["role"] == "user"
    assert last["added"][1]["gist"].startswith("how high?")


def test_each_message_is_stored_once(recorded: Path) -> None:
    assert gzip.decompress(bodies_path(recorded).read_bytes()).count(b"be quick") == 1


class TestDamage:
    def places(self, size: int, count: int) -> Iterator[int]:
        step = max(1, size // count)
        yield from {*range(0, size, step), 0, 1, size - 2, size - 1}

    @pytest.mark.parametrize("which", ["index", "bodies"])
    def test_every_flipped_byte_is_found(self, recorded: Path, which: str) -> None:
        file = recorded if which == "index" else bodies_path(recorded)
        good = file.read_bytes()
        for number, place in enumerate(self.places(len(good), 400)):
            bit = (1, 0x20)[number % 2]  # 0x20 makes another letter case, 1 another digit
            file.write_bytes(good[:place] + bytes([good[place] ^ bit]) + good[place + 1 :])
            with pytest.raises(CassetteCorrupted, match=f"{file.name}.*--aar-record=all"):
                cassette_file.read(recorded)
        file.write_bytes(good)
        assert replayed(recorded) == [1, 2, 3]

    @pytest.mark.parametrize("which", ["index", "bodies"])
    def test_every_truncation_is_found(self, recorded: Path, which: str) -> None:
        file = recorded if which == "index" else bodies_path(recorded)
        good = file.read_bytes()
        for length in self.places(len(good), 200):
            file.write_bytes(good[:length])
            with pytest.raises(CassetteCorrupted, match=file.name):
                cassette_file.read(recorded)

    @pytest.mark.parametrize(
        ("content", "found"),
        [
            (b"", "the file is empty"),
            (b"  \n", "the file is empty"),
            (b"not json", "damaged or edited"),
            (b"[]", "not a cassette.*move this file away"),
            (b"\xff\xfe", "damaged or edited"),
            (
                b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n",
                r"Git LFS pointer.*git lfs pull",
            ),
            (
                b"{\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> theirs\n}",
                r"merge conflict markers.*--ours",
            ),
        ],
    )
    @pytest.mark.parametrize("mode", ["none", "once"])
    def test_other_contents_are_named(
        self, recorded: Path, content: bytes, found: str, mode: str
    ) -> None:
        recorded.write_bytes(content)
        with pytest.raises(CassetteCorrupted, match=found) as fault:
            open_tape(recorded, mode=mode, options=MODEL)  # type: ignore[arg-type]
        assert f". Its place is {recorded}. " in str(fault.value)
        assert recorded.read_bytes() == content

    def test_a_newer_format_says_upgrade(self, recorded: Path) -> None:
        recorded.write_bytes(sealed({"format": 2}, recorded="", took_seconds=[]))
        with pytest.raises(
            CassetteCorrupted,
            match=r"^unreadable cassette: format 2, this version reads format 1\. Its place is .*\. Upgrade",
        ):
            cassette_file.read(recorded)

    def test_verify_finds_what_a_good_checksum_hides(self, recorded: Path) -> None:
        def resealed(document: dict[str, Any]) -> None:
            times = document.pop("times_at")
            del document["checksum"], document["format"]
            recorded.write_bytes(
                sealed(document, recorded=times["recorded"], took_seconds=times["took_seconds"])
            )

        good = json.loads(recorded.read_bytes())
        resealed(deepcopy(good))
        assert verify(recorded) == []
        wrong = deepcopy(good)
        wrong["interactions"][1]["key"] = "0" * 32
        resealed(wrong)
        assert "the key of interaction 1 is not its request's" in verify(recorded)[0]
        wrong = deepcopy(good)
        wrong["interactions"][1]["head"] = "0" * 32
        resealed(wrong)
        assert f"body {'0' * 32} is missing" in verify(recorded)[0]
        wrong = deepcopy(good)
        del wrong["interactions"][0]["status"]
        resealed(wrong)
        assert "field interactions.0.status" in verify(recorded)[0]
        plain = gzip.decompress(bodies_path(recorded).read_bytes())
        for packed, found in (
            (gzip.compress(plain.replace(b"be quick", b"be quack")), "has another content"),
            (gzip.compress(plain[1:]), "bytes inside, expected"),
            (plain, "not a gzip stream"),
        ):
            bodies_path(recorded).write_bytes(packed)
            wrong = deepcopy(good)
            wrong["bodies"] |= {"sha256": sha256_of(packed), "bytes": len(packed)}
            resealed(wrong)
            assert found in verify(recorded)[0]

    def test_an_interaction_cut_out_is_found(self, recorded: Path) -> None:
        index = json.loads(recorded.read_bytes())
        del index["interactions"][-1]
        recorded.write_text(json.dumps(index, indent=1))
        with pytest.raises(CassetteCorrupted):
            cassette_file.read(recorded)

    @pytest.mark.parametrize("lost", ["index", "bodies"])
    def test_one_of_two_files_missing_is_no_missing_cassette(
        self, recorded: Path, lost: str
    ) -> None:
        (recorded if lost == "index" else bodies_path(recorded)).unlink()
        with pytest.raises(CassetteCorrupted, match="missing"):
            open_tape(recorded, mode="once", options=MODEL)

    @pytest.mark.parametrize("which", ["index", "bodies"])
    def test_the_command_to_restore_names_both_files(self, recorded: Path, which: str) -> None:
        file = recorded if which == "index" else bodies_path(recorded)
        file.write_bytes(file.read_bytes()[:-9])
        with pytest.raises(CassetteCorrupted) as fault:
            cassette_file.read(recorded)
        _, _, command = str(fault.value).partition("git checkout -- ")
        pattern, _, _ = command.partition(")")
        assert Path(pattern).parent == recorded.parent
        assert set(recorded.parent.glob(Path(pattern).name)) >= {recorded, bodies_path(recorded)}

    def test_converted_line_ends_are_fine(self, recorded: Path) -> None:
        recorded.write_bytes(recorded.read_bytes().replace(b"\n", b"\r\n"))
        assert replayed(recorded) == [1, 2, 3]

    def test_recording_anew_repairs(self, recorded: Path) -> None:
        recorded.write_bytes(b"")
        record(recorded, three_calls())
        assert replayed(recorded) == [1, 2, 3]

    def test_recording_into_damaged_shared_tools_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "tools.json"
        record_tools(path, ["https://w.test/"])
        path.write_bytes(path.read_bytes()[:-9])
        with pytest.raises(CassetteCorrupted):
            open_tape(path, mode="all", options=TOOLS)


class TestCrash:
    def test_a_kill_between_the_two_renames_loses_nothing(
        self, tmp_path: Path, recorded: Path
    ) -> None:
        new = tmp_path / "new/react--m.json"
        record(new, three_calls()[:2])
        # As a kill right after the first rename leaves it: new bodies, old index, new index waiting.
        bodies_path(recorded).write_bytes(bodies_path(new).read_bytes())
        temporary(recorded).write_bytes(new.read_bytes())
        assert len(cassette_file.read(recorded).interactions) == 2
        assert recorded.read_bytes() == new.read_bytes()
        assert not temporary(recorded).exists()

    def test_a_kill_before_the_renames_leaves_the_old_cassette(self, recorded: Path) -> None:
        temporary(recorded).write_bytes(b'{\n "checks')
        temporary(bodies_path(recorded)).write_bytes(b"\x1f\x8b")
        assert replayed(recorded) == [1, 2, 3]

    def test_sigkill_while_recording_keeps_what_was_complete(self, path: Path) -> None:
        run = in_child(
            path,
            """
            tape = open_tape(path, mode="once", options=MODEL)
            ask_all(tape, counting(), three_calls()[:2])
            os.kill(os.getpid(), signal.SIGKILL)
            """,
        )
        assert run.returncode == -signal.SIGKILL
        assert not path.exists()
        assert len(read_journal(partial_path(path))) == 2
        with pytest.raises(
            CassetteMissing, match=r"holds 2 interactions, --aar-record=once continues"
        ):
            open_tape(path, mode="none", options=MODEL)

    def test_once_goes_on_with_an_interrupted_recording(self, path: Path) -> None:
        tape = open_tape(path, mode="once", options=MODEL)
        ask_all(tape, counting(), three_calls()[:2])
        tape.close()
        again = open_tape(path, mode="once", options=MODEL)
        last = ask_all(
            again, lambda request: httpx.Response(200, json={"answer": 3}), three_calls()
        )
        assert [each.json()["answer"] for each in last] == [1, 2, 3]
        assert (again.hits, again.recorded) == (2, 1)
        again.save()
        again.close()
        assert replayed(path) == [1, 2, 3]
        assert not partial_path(path).exists()

    def test_all_starts_anew(self, path: Path) -> None:
        tape = open_tape(path, mode="once", options=MODEL)
        ask_all(tape, counting(), three_calls()[:2])
        tape.close()
        record(path, three_calls())
        assert replayed(path) == [1, 2, 3]

    def test_every_cut_of_a_journal_gives_the_interactions_before_it(self, path: Path) -> None:
        tape = open_tape(path, mode="once", options=MODEL)
        ask_all(tape, counting(), three_calls())
        tape.close()
        journal = partial_path(path)
        whole, counts = journal.read_bytes(), []
        for length in range(0, len(whole) + 1, 7):
            journal.write_bytes(whole[:length])
            counts.append(len(read_journal(journal)))
        assert counts == sorted(counts)
        assert set(counts) == {0, 1, 2} | {counts[-1]}

    def test_a_cut_line_does_not_swallow_the_next(self, path: Path) -> None:
        tape = open_tape(path, mode="once", options=MODEL)
        ask_all(tape, counting(), three_calls()[:2])
        tape.close()
        journal = partial_path(path)
        journal.write_bytes(journal.read_bytes()[:-5])
        again = open_tape(path, mode="once", options=MODEL)
        ask_all(again, counting(), three_calls())
        again.close()
        assert len(read_journal(journal)) == 3

    def test_a_short_write_leaves_nothing_of_its_interaction(self, path: Path) -> None:
        tape = open_tape(path, mode="once", options=MODEL)
        ask_all(tape, counting(), three_calls()[:1])
        journal = partial_path(path)
        before = journal.read_bytes()
        with room_for(len(before) + 40):
            ask_all(tape, counting(), three_calls()[1:2])
        assert "File too large" in str(tape.problem)
        assert journal.read_bytes() == before
        tape.close()


def child_command(path: Path, code: str) -> list[str]:
    """A command that runs code in another process, with this folder's helpers imported."""
    head = """
        import os, signal, sys
        from pathlib import Path
        sys.path.insert(0, sys.argv[1])
        from recorded_race import *
        path = Path(sys.argv[2])
    """
    text = textwrap.dedent(head) + textwrap.dedent(code)
    return [sys.executable, "-c", text, str(Path(__file__).parent), str(path)]


def in_child(path: Path, code: str) -> subprocess.CompletedProcess[str]:
    command = child_command(path, code)
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


class TestDisk:
    def test_a_full_disk_keeps_the_good_cassette(self, recorded: Path) -> None:
        index, bodies = recorded.read_bytes(), bodies_path(recorded).read_bytes()
        noise = os.urandom(60_000).hex()
        tape = open_tape(recorded, mode="all", options=MODEL)
        with room_for(20_000):
            ask_all(tape, lambda request: httpx.Response(200, text=noise), three_calls())
            assert isinstance(tape.problem, InfrastructureError)
            with pytest.raises(InfrastructureError) as failure:
                tape.save()
        tape.close()
        said = str(failure.value)
        assert said.startswith("can't write the recording (File too")
        assert f"Its place is {recorded}." in said
        assert "A cassette that was there before is untouched" in said
        assert (recorded.read_bytes(), bodies_path(recorded).read_bytes()) == (index, bodies)
        assert not list(recorded.parent.glob(".*.tmp"))
        assert replayed(recorded) == [1, 2, 3]

    def test_a_place_that_can_not_be_written_is_named_before_the_race(self, tmp_path: Path) -> None:
        (tmp_path / "cassettes").write_text("a file, not a folder")
        with pytest.raises(InfrastructureError, match=r"can't write the recording.*cassettes"):
            open_tape(tmp_path / "cassettes/l/a--m.json", mode="once", options=MODEL)

    @pytest.mark.parametrize(
        ("permissions", "kind", "advice"),
        [
            (0o555, "InfrastructureError", "give write permission on its folder"),
            (0o000, "CassetteCorrupted", "Give read permission on it and its folder"),
        ],
    )
    def test_a_folder_without_permission(self, permissions: int, kind: str, advice: str) -> None:
        with tempfile.TemporaryDirectory() as name:
            Path(name).chmod(permissions)
            run = in_child(
                Path(name) / "l/a--m.json",
                """
                if os.geteuid() == 0:
                    os.setuid(65534)  # root may do everything
                try:
                    open_tape(path, mode="once", options=MODEL)
                except Exception as error:
                    print(type(error).__name__, error)
                """,
            )
            Path(name).chmod(0o700)
        assert run.stdout.startswith(kind), run.stderr
        assert "(Permission denied)" in run.stdout
        assert advice in run.stdout


class TestRecorders:
    def test_a_second_recorder_of_a_cassette_is_refused(self, path: Path) -> None:
        first = open_tape(path, mode="all", options=MODEL)
        with pytest.raises(InfrastructureError, match="another process is recording this cassette"):
            open_tape(path, mode="all", options=MODEL)
        first.close()
        open_tape(path, mode="all", options=MODEL).close()

    def test_a_killed_recorder_leaves_no_lock(self, path: Path) -> None:
        in_child(
            path,
            'tape = open_tape(path, mode="all", options=MODEL); os.kill(os.getpid(), signal.SIGKILL)',
        )
        open_tape(path, mode="all", options=MODEL).close()

    def test_a_replay_beside_a_recorder_sees_the_old_cassette(self, recorded: Path) -> None:
        tape = open_tape(recorded, mode="all", options=MODEL)
        ask_all(tape, counting(), [conversation("other")])
        assert replayed(recorded) == [1, 2, 3]
        tape.save()
        tape.close()

    def test_two_agents_record_tools_of_one_leg_at_once(self, tmp_path: Path) -> None:
        path = tmp_path / "tools.json"
        agents = {
            name: open_tape(
                path,
                mode="extend",
                options=TapeOptions(kind="tools", owner=name, secrets=TOOLS.secrets),
            )
            for name in ("react", "mini-swe")
        }
        for name, tape in agents.items():
            get_all(tape, counting(), ["https://w.test/both", f"https://w.test/{name}"])
        for tape in agents.values():
            tape.save()
            tape.close()
        replay = open_tape(path, mode="none", options=TOOLS)
        get_all(replay, refuse, [f"https://w.test/{name}" for name in ("both", *agents)])
        assert replay.hits == 3

    def test_processes_that_record_at_once_merge_their_tools(self, tmp_path: Path) -> None:
        path = tmp_path / "tools.json"
        code = """
            print("ready", flush=True)
            record_rounds(path, "child")
        """
        command = child_command(path, code)
        with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == b"ready\n"  # both have imported what they need
            record_rounds(path, "here")
            assert child.wait(timeout=60) == 0
        assert len(cassette_file.read(path).interactions) == 2 * ROUNDS
        assert sorted(each.name for each in tmp_path.iterdir()) == ["tools.bodies.gz", "tools.json"]
