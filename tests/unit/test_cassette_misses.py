"""What a miss says."""

from pathlib import Path

import pytest
from recorded_race import (
    MODEL,
    TOOLS,
    ask_all,
    conversation,
    get_all,
    record,
    record_tools,
    refuse,
    three_calls,
)

from pytest_aar.cassettes import Miss, TapeOptions, open_tape
from pytest_aar.cassettes.misses import around
from pytest_aar.errors import ReplayDiverged
from pytest_aar.secrets import Secrets


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "l/react--m.json"
    record(path, three_calls())
    return path


def missed(path: Path, body: dict[str, object], options: TapeOptions = MODEL) -> tuple[Miss, str]:
    tape = open_tape(path, mode="none", options=options)
    with pytest.raises(ReplayDiverged) as error:
        ask_all(tape, refuse, [body])
    (miss,) = tape.misses
    assert str(error.value) == miss.text(path)
    return miss, str(error.value)


def test_a_changed_message_is_shown_around_the_first_difference(path: Path) -> None:
    filler = "x" * 500
    before, after = f"{filler} aiosignal the {filler}", f"{filler} aiosig CHANGED the {filler}"
    record(path, [conversation("s", before)])
    miss, text = missed(path, conversation("s", after))
    assert (miss.nearest, miss.message, miss.role) == (0, 1, "user")
    assert "aiosignal the" in miss.recorded
    assert "aiosig CHANGED the" in miss.now
    assert miss.recorded.startswith("...")
    assert miss.recorded.endswith("...")
    assert len(miss.recorded) < 200
    assert "first difference in message 1 of 2 (role user, counted from 0)" in text
    assert "--aar-record=all" in text


def test_the_longest_common_beginning_is_the_nearest(path: Path) -> None:
    miss, _ = missed(path, conversation("be quick", "where is Oslo?", "in Norway", "how deep?"))
    assert (miss.nearest, miss.message) == (2, 3)
    assert "how high?" in miss.recorded
    assert "how deep?" in miss.now


def test_a_conversation_that_goes_on(path: Path) -> None:
    miss, _ = missed(
        path, conversation("be quick", "where is Oslo?", "in Norway", "how high?", "23 m")
    )
    assert (miss.message, miss.role, miss.recorded) == (4, "assistant", "(nothing)")
    assert "23 m" in miss.now


def test_a_conversation_that_is_shorter(path: Path) -> None:
    record(path, three_calls()[2:])
    miss, text = missed(path, conversation("be quick"))
    assert (miss.message, miss.role, miss.now) == (1, "user", "(nothing)")
    assert "first difference in message 1 (role user" in text


def test_another_field_is_named(path: Path) -> None:
    miss, _ = missed(path, {**three_calls()[0], "temperature": 0, "model": "n"})
    assert miss.message is None
    assert miss.reason.endswith("field model, temperature of the request differs")


def test_one_call_too_many(path: Path) -> None:
    tape = open_tape(path, mode="none", options=MODEL)
    with pytest.raises(ReplayDiverged, match="recorded once, asked a second time"):
        ask_all(tape, refuse, [three_calls()[0]] * 2)


def test_another_tool_argument(tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    record_tools(path, ["https://w.test/geo?address=Oslo", "https://w.test/geo?address=Lima"])
    tape = open_tape(path, mode="none", options=TOOLS)
    with pytest.raises(ReplayDiverged, match="the URL differs"):
        get_all(tape, refuse, ["https://w.test/geo?address=Limassol"])
    assert tape.misses[0].recorded == "GET https://w.test/geo?address=Lima"
    assert tape.misses[0].now == "GET https://w.test/geo?address=Limassol"


def test_another_service(tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    record_tools(path, ["https://w.test/geo"])
    with pytest.raises(ReplayDiverged, match=r"nothing was recorded for GET https://other\.test/x"):
        get_all(open_tape(path, mode="none", options=TOOLS), refuse, ["https://other.test/x?q=1"])


def test_a_miss_shows_no_secret(path: Path) -> None:
    options = TapeOptions(secrets=Secrets.from_values(["hunter2-hunter2"]))
    _, text = missed(path, conversation("be quick", "my key hunter2-hunter2"), options)
    assert "hunter2" not in text
    assert "<redacted>" in text
    _, text = missed(path, {**three_calls()[0], "model": "hunter2-hunter2"}, options)
    assert "hunter2" not in text


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("abc", "abd", ("abc", "abd")),
        ("", "x", ("(nothing)", "x")),
        ("a" * 100 + "b", "a" * 100 + "c", ("..." + "a" * 60 + "b", "..." + "a" * 60 + "c")),
    ],
)
def test_around(one: str, other: str, expected: tuple[str, str]) -> None:
    assert around(one, other) == expected


@pytest.mark.parametrize(
    ("asked", "is_told"),
    [
        ("https://maps.test/v1/geo?address=Oslo", True),
        ("https://maps.test/v1/geo?address=Lima", False),
        ("https://maps.test/v2/geo?address=Oslo", False),
        ("https://maps.test/", False),
    ],
)
def test_the_same_at_another_address_names_the_one_it_was_recorded_at(
    tmp_path: Path, asked: str, is_told: bool
) -> None:
    path = tmp_path / "tools.json"
    record_tools(path, ["http://127.0.0.1:33613/maps/v1/geo?address=Oslo"])
    with pytest.raises(ReplayDiverged) as caught:
        get_all(open_tape(path, mode="none", options=TOOLS), refuse, [asked])
    told = "Recorded at http://127.0.0.1:33613/maps/v1/geo: set the same aar_services"
    assert (told in str(caught.value)) is is_told
