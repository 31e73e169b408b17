import json
import os

import pytest
from handmade_legs import detour, diamond, finish, leg, linear, page, roadblock, step, wire_leg

from pytest_aar.errors import LegError
from pytest_aar.leg import Detour, FinishLine, Roadblock, RouteInfo
from pytest_aar.leg_file import envelope, leg_id_of, looks_like_leg, parse_leg, read_leg, write_leg


def test_a_leg_in_the_papers_words():
    read = leg(linear())
    kinds = [type(stop) for stop in read.stops]
    assert kinds == [RouteInfo, RouteInfo, Roadblock, Detour, Roadblock, FinishLine]
    assert read.digit == 3
    assert read.finish.operands == (0, 4, 3)
    assert read.roadblocks[0].chain[1].arguments == {"__from_previous_as_locations": "coords"}
    assert read.stops[0].depends_on is None
    assert read.step_budget == 10
    assert len(read.sha256) == 64


@pytest.mark.parametrize("wire", [linear(), diamond()])
def test_written_back_as_it_was_read(wire):
    assert json.loads(write_leg(leg(wire))) == wire


def test_unknown_fields_are_kept_everywhere():
    wire = linear()
    stop = wire["stops"][2]
    for place in (wire, wire["difficulty"], stop, stop["bridge"], stop["bridge"]["tool_chain"][0]):
        place["note"] = {"kept": [1, 2.5, None]}
    assert json.loads(write_leg(leg(wire))) == wire


def test_fields_that_another_kind_of_stop_uses_are_kept():
    wire = linear()
    wire["stops"][0]["bridge"]["referenced_stops"] = [3]
    wire["stops"][0]["reason_code"] = "print(1)"
    wire["stops"][3]["bridge"]["target_url"] = "https://wiki.aar.test/wiki/X"
    assert json.loads(write_leg(leg(wire))) == wire


def test_the_envelope_has_no_golden_field():
    shown = envelope(leg(linear()), tools=("fetch_webpage",), step_budget=None)
    assert shown.clues.startswith("1. Start")
    assert "1672.9066" not in repr(shown)


def _without(wire, *path):
    *parents, last = path
    place = wire
    for part in parents:
        place = place[part]
    del place[last]
    return wire


def _with(value, *path):
    wire = linear()
    *parents, last = path
    place = wire
    for part in parents:
        place = place[part]
    place[last] = value
    return wire


@pytest.mark.parametrize(
    "path",
    [
        *((name,) for name in linear()),
        *(("difficulty", name) for name in linear()["difficulty"]),
        *(("stops", 2, name) for name in linear()["stops"][2]),
        *(("stops", 2, "bridge", name) for name in linear()["stops"][2]["bridge"]),
        *(("stops", 2, "bridge", "tool_chain", 1, n) for n in ("tool_name", "arguments")),
    ],
)
def test_a_missing_field_is_named(path):
    with pytest.raises(LegError, match="missing; the format requires it") as caught:
        leg(_without(linear(), *path), "broken")
    error = caught.value
    assert error.where == "broken.json"
    assert error.field is not None
    assert error.field.split(".")[-1] == str(path[-1])
    assert error.stop == (2 if path[0] == "stops" and len(path) > 1 else None)


@pytest.mark.parametrize(
    ("wire", "stop", "field", "problem"),
    [
        (_with(10, "passcode"), None, "passcode", "less than or equal to 9, found the number 10"),
        (_with(-1, "passcode"), None, "passcode", "greater than or equal to 0"),
        (_with("3", "passcode"), None, "passcode", "valid integer, found a text '3'"),
        (_with(True, "passcode"), None, "passcode", "valid integer, found true or false"),
        (_with([], "stops"), None, "stops", "at least 1 item"),
        (_with("x", "stops"), None, "stops", "valid array"),
        (_with([], "metadata"), None, "metadata", "found a list"),
        (_with(None, "riddle"), None, "riddle", "valid string, found null"),
        (_with("detour", "stops", 3, "stop_type"), 3, "stop_type", "'reason' or 'compute'"),
        (_with("1", "stops", 3, "index"), 3, "index", "valid integer"),
        (_with(None, "stops", 0, "extracted_value"), 0, "extracted_value", "found null"),
        (_with(True, "stops", 0, "extracted_value"), 0, "extracted_value", "true or false"),
        (_with("word", "stops", 0, "extracted_value_type"), 0, "extracted_value_type", "'coords'"),
        (_with("", "stops", 0, "page_url"), 0, "page_url", "empty; a stop of type 'page' needs"),
        (_with(2, "stops", 4, "index"), 2, "index", "duplicate: an earlier stop has the index 2"),
        (_with(7, "stops", 4, "index"), 7, "index", "should be 4"),
        (_with([2, 9], "stops", 4, "depends_on"), 4, "depends_on", "no stop 9; stops are 0 to 5"),
        (_with([4], "stops", 4, "depends_on"), 4, "depends_on", "cyclic: 4 -> 4"),
        (_with([4], "stops", 2, "depends_on"), 4, "depends_on", "cyclic: "),
        (_with(None, "stops", 3, "reason_transform"), 3, "reason_transform", "empty"),
        (_with("halve", "stops", 3, "reason_transform"), 3, "reason_transform", "there are: next"),
        (_with(None, "stops", 3, "reason_source_stop"), 3, "reason_source_stop", "empty"),
        (_with(9, "stops", 3, "reason_source_stop"), 3, "reason_source_stop", "(0 to 2), found 9"),
        (_with(3, "stops", 3, "reason_source_stop"), 3, "reason_source_stop", "found 3"),
        (
            _with([], "stops", 2, "bridge", "tool_chain"),
            2,
            "bridge.tool_chain",
            "empty; a stop of type 'tool'",
        ),
        (
            _with("", "stops", 2, "bridge", "tool_chain", 0, "tool_name"),
            2,
            "bridge.tool_chain[0].tool_name",
            "at least 1 character",
        ),
        (
            _with("place", "stops", 2, "bridge", "tool_chain", 0, "output_key"),
            2,
            "bridge.tool_chain[1].arguments",
            "no earlier call yields 'coords'",
        ),
        (
            _with({"__from_previous": 3}, "stops", 2, "bridge", "tool_chain", 1, "arguments"),
            2,
            "bridge.tool_chain[1].arguments.__from_previous",
            "output key or a list of them, found 3",
        ),
        (
            _with(
                {"__from_previous_as_origins_destinations": ["coords"]},
                *("stops", 2, "bridge", "tool_chain", 1, "arguments"),
            ),
            2,
            "bridge.tool_chain[1].arguments.__from_previous_as_origins_destinations",
            "two outputs, origin and destination",
        ),
        (
            _with("tool_call", "stops", 0, "bridge", "bridge_type"),
            0,
            "bridge.bridge_type",
            "should be 'link_follow' or 'search_query' at a stop of type 'page'",
        ),
        (_with(None, "stops", 5, "bridge", "expression"), 5, "bridge.expression", "empty"),
        (
            _with([0, 5], "stops", 5, "bridge", "referenced_stops"),
            5,
            "bridge.referenced_stops",
            "earlier stops (0 to 4), found 5",
        ),
    ],
)
def test_a_broken_leg_names_file_stop_and_field(wire, stop, field, problem):
    with pytest.raises(LegError) as caught:
        leg(wire, "broken")
    assert (caught.value.where, caught.value.stop, caught.value.field) == (
        "broken.json",
        stop,
        field,
    )
    assert problem in str(caught.value)
    assert str(caught.value).startswith("broken.json")


def test_no_finish_line():
    with pytest.raises(LegError, match=r"stop 0, field stop_type: no finish line"):
        leg(wire_leg([page(0, "A", 1)], 1))


def test_two_finish_lines():
    stops = [page(0, "A", 1), finish(1, "1 % 10", [0], 1), finish(2, "1 % 10", [0], 1)]
    with pytest.raises(LegError, match=r"stop 2, .*2 finish lines \(stops 1, 2\); a leg has one"):
        leg(wire_leg(stops, 1))


def test_finish_line_in_the_middle():
    stops = [page(0, "A", 1), finish(1, "1 % 10", [0], 1), page(2, "B", 2)]
    with pytest.raises(LegError, match=r"stop 1, .*must be the last stop, which is 2"):
        leg(wire_leg(stops, 1))


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "not JSON: EOF"),
        (b'{"stops": [', "not JSON: EOF"),
        (b"\xff\xfe", "not JSON"),
        (b"[]", "should be an object"),
        (json.dumps(linear()).replace("1936", "NaN").encode(), "found the number nan"),
        (json.dumps(linear() | {"more": [1, float("inf")]}).encode(), "Infinity is no JSON number"),
        (json.dumps(linear()).replace("1936", "1e999").encode(), "extracted_value"),
    ],
)
def test_what_is_no_json(data, problem):
    with pytest.raises(LegError) as caught:
        parse_leg(data, leg_id="x", where="x.json")
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("place", "field"),
    [
        (("bridge", "tool_chain", 0, "arguments", "address"), "address"),
        (("bridge", "tool_chain", 0, "arguments", "locations"), "locations"),
        (("extracted_value",), "extracted_value"),
    ],
)
def test_a_number_beyond_floats_is_refused_wherever_it_stands(place, field):
    wire = linear()
    stop = next(stop for stop in wire["stops"] if stop["stop_type"] == "tool")
    at = stop
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = {"deep": [1, "HERE"]} if field != "address" else "HERE"
    data = json.dumps(wire).replace('"HERE"', "1e999").encode()
    with pytest.raises(LegError, match=r"should be a finite number, found .*inf") as caught:
        parse_leg(data, leg_id="x", where="x.json")
    assert caught.value.stop == stop["index"]
    assert caught.value.field.endswith(field)


def test_the_words_nan_and_infinity_in_a_text_are_fine():
    wire = linear() | {"riddle": "NaN and Infinity"}
    assert leg(wire).clues == "NaN and Infinity"


def test_a_forward_dependency_without_a_cycle_is_a_leg():
    stops = [
        page(0, "A", 1, depends_on=[]),
        page(1, "B", 2, depends_on=[2]),
        page(2, "C", 3, depends_on=[0]),
        finish(3, "1 % 10", [0], 1, depends_on=[1]),
    ]
    assert leg(wire_leg(stops, 1)).stops[1].depends_on == (2,)


def test_a_placeholder_may_name_an_earlier_roadblocks_output():
    stops = [
        roadblock(0, [step("maps_geocode", "coords", address="Oslo")], 1),
        roadblock(
            1, [step("maps_elevation", "elevation", __from_previous_as_locations="coords")], 1
        ),
        finish(2, "1 % 10", [1], 1),
    ]
    assert len(leg(wire_leg(stops, 1)).roadblocks) == 2


def test_a_roadblocks_referenced_stops_must_be_earlier_ones():
    wire = linear()
    wire["stops"][2]["bridge"]["referenced_stops"] = [4]
    with pytest.raises(LegError, match=r"stop 2, field bridge.referenced_stops: .*found 4"):
        leg(wire)


def test_detours_may_follow_detours():
    stops = [
        page(0, "A", 88),
        detour(1, "digit_sum", 0, 16),
        detour(2, "digit_sum", 1, 7),
        finish(3, "7 % 10", [2], 7),
    ]
    assert leg(wire_leg(stops, 7)).detours[1].source == 1


class TestFiles:
    def test_too_big(self, tmp_path):
        path = tmp_path / "big.json"
        with path.open("wb") as file:
            file.truncate(50_000_000)
        with pytest.raises(LegError, match=r"big.json: the file has 50,000,000 bytes; .*5,242,880"):
            read_leg(path)

    def test_symlink_loop(self, tmp_path):
        path = tmp_path / "loop.json"
        path.symlink_to(path)
        with pytest.raises(LegError, match=r"loop.json: the file can't be read: Too many levels"):
            read_leg(path)

    def test_missing(self, tmp_path):
        with pytest.raises(LegError, match="can't be read: No such file"):
            read_leg(tmp_path / "none.json")

    def test_a_pipe_is_not_waited_for(self, tmp_path):
        path = tmp_path / "pipe.json"
        os.mkfifo(path)
        assert not looks_like_leg(path, None)
        with pytest.raises(LegError, match="not a regular file"):
            read_leg(path)


class TestLooksLikeLeg:
    @pytest.mark.parametrize(
        ("name", "text", "expected"),
        [
            ("a.json", '{"trail_id": 1, "stops": []}', True),
            ("a.json", '{"stops": [], "trail_id": 1', True),
            ("a.json", '{"trail_id": 1}', False),
            ("a.json", '{"stops": [1]}', False),
            ("a.json", '{"name": "package"}', False),
            ("a.json", '{"trail_id": 1,' + " " * 4090 + '"stops": []}', False),
            (".a.json", '{"trail_id": 1, "stops": []}', False),
            ("a.txt", '{"trail_id": 1, "stops": []}', False),
        ],
    )
    def test_by_its_head(self, tmp_path, name, text, expected):
        path = tmp_path / name
        path.write_text(text)
        assert looks_like_leg(path, tmp_path / "legs") is expected

    def test_below_the_legs_root_everything_but_dot_files(self, tmp_path):
        (tmp_path / "dag").mkdir()
        for name in ("broken.json", ".hidden.json"):
            (tmp_path / "dag" / name).write_text("{")
        assert looks_like_leg(tmp_path / "dag" / "broken.json", tmp_path)
        assert not looks_like_leg(tmp_path / "dag" / ".hidden.json", tmp_path)

    def test_a_symlink_loop_is_somebody_elses(self, tmp_path):
        path = tmp_path / "loop.json"
        path.symlink_to(path)
        assert not looks_like_leg(path, None)


class TestIdentity:
    def test_below_the_legs_root(self, tmp_path):
        path = tmp_path / "legs" / "dag" / "easy" / "003.json"
        assert leg_id_of(path, tmp_path / "legs") == "dag/easy/003"

    def test_else_below_the_parent_of_the_variants_folder(self, tmp_path):
        path = tmp_path / "aar-dag" / "easy" / "sample_003.json"
        assert leg_id_of(path, tmp_path / "legs") == "aar-dag/easy/sample_003"

    def test_the_nearest_variants_folder_counts(self, tmp_path):
        path = tmp_path / "dagmar" / "set" / "linear" / "a.v2.json"
        assert leg_id_of(path) == "linear/a.v2"

    def test_else_below_the_nearest_folder_named_legs(self, tmp_path):
        path = tmp_path / "dag" / "legs" / "mine" / "linear" / "one.json"
        assert leg_id_of(path, tmp_path / "other" / "legs") == "mine/linear/one"
        assert leg_id_of(path, tmp_path / "dag" / "legs") == "mine/linear/one"

    def test_else_the_name(self, tmp_path):
        assert leg_id_of(tmp_path / "mine" / "one.json") == "one"

    def test_however_the_file_is_named(self, tmp_path, monkeypatch):
        (tmp_path / "legs" / "dag").mkdir(parents=True)
        monkeypatch.chdir(tmp_path / "legs")
        root = tmp_path / "legs"
        names = ["dag/1.json", "../legs/dag/1.json", str(root / "dag" / "1.json")]
        assert {leg_id_of(root.__class__(name), root) for name in names} == {"dag/1"}

    def test_through_a_symbolic_link(self, tmp_path):
        (tmp_path / "real" / "dag").mkdir(parents=True)
        (tmp_path / "legs").symlink_to(tmp_path / "real")
        path = tmp_path / "real" / "dag" / "1.json"
        path.write_text("{}")
        assert leg_id_of(path, tmp_path / "legs") == "dag/1"

    @pytest.mark.parametrize(
        ("leg_id", "metadata", "variant", "level"),
        [
            ("dag/hard/1", {}, "dag", "hard"),
            ("dag/hard/1", {"variant": "linear"}, "linear", "hard"),
            ("aar-linear/extreme/1", {"variant": "odd"}, "linear", "extreme"),
            ("dag/mine/1", {}, "dag", "mine"),
            ("dag/1", {}, "dag", "easy"),
            ("mine/1", {}, "linear", "easy"),
            ("1", {}, "linear", "easy"),
        ],
    )
    def test_variant_and_level(self, leg_id, metadata, variant, level):
        read = leg(linear() | {"metadata": metadata}, leg_id)
        assert (read.variant, read.level) == (variant, level)

    def test_variant_by_shape(self):
        assert leg(diamond(), "mine/1").variant == "dag"
