import json
import subprocess
import sys
from dataclasses import asdict, replace

import pytest
from handmade_legs import diamond, finish, leg, linear, page, roadblock, step, url, wire_leg
from perfect_trace import call, fetch, perfect, place, right_answer

from pytest_aar.score import canonical_title, error_class, score, upstream_compat
from pytest_aar.trace import Finish, ModelCall, Trace

WRONG = Finish(ending="answered", answer=9)


def without(trace, *names):
    return Trace(events=tuple(event for event in trace.events if event.name not in names))


def scored(read, *events, answer=None):
    return score(read, Trace(events=events), answer or right_answer(read))


@pytest.mark.parametrize("wire", [linear(), diamond()])
def test_a_perfect_trace_scores_one_everywhere(wire):
    read = leg(wire)
    result = score(read, perfect(read), right_answer(read))
    assert (result.fa, result.pvr, result.rcr, result.rcr_strict, result.rcr_types) == (1,) * 5
    assert (result.seed_free_pvr, result.right_call_rate, result.valid_call_rate) == (1,) * 3
    assert (result.needed_pvr, result.needed_rcr, result.needed_rcr_strict) == (1,) * 3
    assert result.error_class == result.error_class_strict == "correct"
    assert (result.first_divergence, result.needed_divergence_kind) == (None, None)
    assert json.loads(json.dumps(asdict(result))) == asdict(result)


def test_nothing_done():
    result = scored(leg(linear()), answer=Finish(ending="no-answer"))
    assert (result.fa, result.pvr, result.rcr, result.rcr_strict) == (0, 0, 0, 0)
    assert result.error_class == "navigation"
    assert (result.first_divergence, result.first_divergence_kind) == (0, "route info")
    assert (result.valid_call_rate, result.tokens, result.intermediate_rate) == (None, None, 0)
    assert result.pages_unresolved == 2


class TestPages:
    @pytest.mark.parametrize(
        "address",
        [
            "https://en.wikipedia.org/wiki/Z%C3%BCrich_Zoo",
            "http://en.m.wikipedia.org/wiki/z%C3%BCrich_Zoo?oldid=3#History",
            "https://wiki.aar.test/wiki/Zürich   Zoo",
            "https://en.wikipedia.org/w/index.php?title=Z%C3%BCrich_Zoo&action=raw",
            "Zürich_Zoo",
            "https://en.wikipedia.org/wiki/Zu\u0308rich_Zoo",
        ],
    )
    def test_one_title(self, address):
        assert canonical_title(address) == "Zürich Zoo"

    @pytest.mark.parametrize(
        ("address", "title"),
        [
            ("https://de.wikipedia.org/wiki/Bonn", "de:Bonn"),
            ("https://www.example.org/a%20b/?q=1#x", "example.org/a b"),
            ("https://en.wikipedia.org/wiki/AC/DC", "AC/DC"),
            ("https://en.wikipedia.org/wiki/Who%3F", "Who?"),
            ("https://notwikipedia.org/wiki/Bonn", "notwikipedia.org/wiki/Bonn"),
        ],
    )
    def test_other_titles(self, address, title):
        assert canonical_title(address) == title

    def test_a_failed_fetch_visits_nothing(self):
        assert scored(leg(linear()), fetch(url("Seed town"), ok=False)).pvr == 0

    def test_seed_free(self):
        result = scored(leg(linear()), fetch(url("Seed town")))
        assert (result.pvr, result.seed_free_pvr) == (0.5, 0)

    def test_a_leg_of_the_seed_alone_has_no_seed_free_rate(self):
        read = leg(wire_leg([page(0, "Seed town", 4), finish(1, "4 % 10", [0], 4)], 4))
        result = scored(read, fetch(url("Seed town")))
        assert (result.pvr, result.seed_free_pvr, result.rcr, result.error_class) == (
            1,
            None,
            None,
            "correct",
        )

    def test_a_redirect_counts_for_the_requested_and_the_final_page(self):
        final = fetch(url("Alna River"), final_url=url("River Alna"))
        requested = fetch(url("River Alna"), final_url=url("Alna (river)"))
        assert scored(leg(linear()), final).pvr == scored(leg(linear()), requested).pvr == 0.5

    def test_golden_redirects_by_the_map_of_titles(self):
        read, trace = leg(linear()), Trace(events=(fetch(url("Alna (river)")),))
        titles = {"River Alna": "Alna (river)", "Seed town": "Seed town"}
        assert score(read, trace, WRONG).pvr == 0
        result = score(read, trace, WRONG, titles=titles)
        assert (result.pvr, result.pages_unresolved) == (0.5, 0)

    def test_pages_count_once(self):
        wire = linear()
        wire["stops"][1]["page_url"] = url("seed_town") + "#History"
        assert scored(leg(wire), fetch(url("Seed town"))).pvr == 1

    def test_needed_pages_only(self):
        result = scored(leg(linear()), fetch(url("Seed town")), answer=WRONG)
        assert result.needed_pvr == 1
        assert (result.first_divergence, result.needed_divergence) == (1, 4)


class TestPaper:
    def test_names_anywhere_even_failed_ones(self):
        read = leg(diamond())
        calls = [
            call(name, {}, "{}", ok=False)
            for name in ("maps_geocode", "maps_elevation", "maps_search_places")
        ]
        result = scored(read, *calls)
        assert (result.rcr, result.rcr_strict) == (0.5, 0)
        assert result.rcr_types == 3 / 5

    def test_no_roadblock_no_rate(self):
        read = leg(wire_leg([page(0, "Seed town", 4), finish(1, "4 % 10", [0], 4)], 4))
        result = scored(read)
        assert (result.rcr, result.rcr_strict, result.right_call_rate) == (None, None, None)
        assert result.rcr_types == 0


def one_roadblock(chain, value):
    return leg(wire_leg([roadblock(0, chain, value), finish(1, "1 % 10", [0], 1)], 1))


def strict(read, *events):
    return score(read, Trace(events=events), right_answer(read)).rcr_strict


def country(name, **fields):
    return call("countries_population", {"country": name}, {"population": 5}, **fields)


class TestStrict:
    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ("norway", 1),
            ("  Kingdom  of NORWAY ", 1),
            ("Norwa", 1),
            ("No", 0),
            ("Sweden", 0),
        ],
    )
    def test_texts(self, given, expected):
        read = one_roadblock([step("countries_population", "population", country="Norway")], 5)
        assert strict(read, country(given)) == expected

    def test_short_texts_must_be_equal(self):
        chain = [step("stock_volume", "stock_volume", ticker="F", date="2020-01-02")]
        read = one_roadblock(chain, 5)
        right = {"ticker": "f", "date": "2020-01-02"}
        assert strict(read, call("stock_volume", right, {"volume": 5})) == 1
        assert strict(read, call("stock_volume", right | {"ticker": "FB"}, {"volume": 5})) == 0

    def test_an_argument_left_out(self):
        chain = [step("stock_volume", "stock_volume", ticker="GSK", date="2020-01-02")]
        assert strict(one_roadblock(chain, 5), call("stock_volume", {"ticker": "GSK"}, "{}")) == 0

    def test_extra_arguments_and_defaults(self):
        way = {"origin": "Oslo", "destination": "Moss"}
        read = one_roadblock([step("maps_directions", "duration", **way, mode="driving")], 5)
        given = way | {"units": "metric"}
        assert strict(read, call("maps_directions", given, {})) == 1
        assert strict(read, call("maps_directions", given | {"mode": "walking"}, {})) == 0

    @pytest.mark.parametrize(
        ("golden", "given", "expected"),
        [
            (100, 101, True),
            (100, "100.5", True),
            (100, 102, False),
            (100, "a hundred", False),
            (True, True, True),
            (True, 1, False),
            (["Oslo", "Moss"], ["moss", "Oslo city", "Bergen"], True),
            (["Oslo"], "Oslo", True),
            (["Oslo", "Moss"], ["Oslo"], False),
            ({"kind": "car"}, {"kind": "Cars", "more": 1}, True),
            ({"kind": "car"}, "car", False),
            ("59.91,10.75", {"lat": 59.925, "lng": 10.74}, True),
            ("59.91,10.75", "59.95,10.75", False),
        ],
    )
    def test_other_kinds_of_arguments(self, golden, given, expected):
        chain = [step("maps_directions", "duration", thing=golden)]
        read = one_roadblock(chain, 5)
        assert strict(read, call("maps_directions", {"thing": given}, {})) == expected

    def test_latitude_and_longitude_within_a_fiftieth_of_a_degree(self):
        chain = [step("maps_reverse_geocode", "coords", latitude=1.0, longitude=100.0)]
        read = one_roadblock(chain, 5)
        near = {"latitude": 1.02, "longitude": "99.98"}
        assert strict(read, call("maps_reverse_geocode", near, {})) == 1
        assert strict(read, call("maps_reverse_geocode", near | {"longitude": 100.5}, {})) == 0

    def test_a_failed_call_serves_nothing(self):
        read = one_roadblock([step("countries_population", "population", country="Norway")], 5)
        assert strict(read, country("Norway", ok=False)) == 0

    def test_placeholders_by_the_agents_own_outputs(self):
        read = one_roadblock(linear()["stops"][2]["bridge"]["tool_chain"], 5)
        here = place("Mount Alna, Norway")
        located = call(
            "maps_geocode",
            {"address": "Mount Alna, Norway"},
            {"location": {"lat": here["latitude"], "lng": here["longitude"]}},
        )
        near = {"lat": here["latitude"] + 0.015, "lng": here["longitude"]}
        far = {"latitude": here["latitude"] + 0.05, "longitude": here["longitude"]}
        elevation = {"results": [{"elevation": 5}]}
        there = call("maps_elevation", {"locations": [far, near]}, elevation)
        elsewhere = call("maps_elevation", {"locations": [far]}, elevation)
        assert strict(read, located, there) == 1
        assert strict(read, located, elsewhere) == 0
        assert strict(read, there, located) == 0  # the output was not there yet
        assert strict(read, there) == 0

    def test_a_placeholder_whose_output_can_not_be_read(self):
        read = one_roadblock(linear()["stops"][2]["bridge"]["tool_chain"], 5)
        located = call("maps_geocode", {"address": "Mount Alna"}, "garbled")
        there = call("maps_elevation", {"locations": [{"lat": 1, "lng": 2}]}, "{}")
        assert strict(read, located, there) == 0

    def test_weather_by_place_and_day(self):
        chain = [
            step("maps_geocode", "coords", address="Oslo"),
            step(
                "weather_historical",
                "precipitation",
                __from_previous="coords",
                start_date="2020-01-02",
                end_date="2020-01-02",
                select=["daily.precipitation_sum[0]"],
            ),
        ]
        read = one_roadblock(chain, 3.4)
        here = place("Oslo")
        located = call(
            "maps_geocode",
            {"address": "Oslo"},
            {"location": {"lat": here["latitude"], "lng": here["longitude"]}},
        )
        result = {"daily.precipitation_sum[0]": 3.4}
        told = call("weather_historical", here | {"date": "2020-01-02"}, result)
        other = call("weather_historical", here | {"date": "2020-01-03"}, result)
        snow = {"date": "2020-01-02", "select": ["daily.snowfall_sum[0]"]}
        assert strict(read, located, told) == 1
        assert strict(read, located, other) == 0
        assert strict(read, located, call("weather_historical", here | snow, result)) == 0

    @pytest.mark.parametrize(
        ("stdout", "expected"),
        [("1692\n", 1), ("total: 1,700\n", 1), ("1692\n1500\n", 0), ("", 0), ("no number", 0)],
    )
    def test_python_by_what_it_prints(self, stdout, expected):
        read = one_roadblock([step("python_execute_code", "merged", code="print(1)")], 1692)
        ran = call("python_execute_code", {"code": "whatever"}, {"stdout": stdout, "stderr": ""})
        assert strict(read, ran) == expected

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ({"query": "Hotels in Alna Castle"}, 1),
            ({"query": "find hotel around the castle Alna, Norway"}, 1),
            ({"query": "hotels", "location": "Alna castle"}, 1),
            ({"query": "hotels near Alna castle", "location": "Main Square, Lund"}, 1),
            ({"query": "hotels near Alna"}, 1),
            ({"query": "museums near Alna castle"}, 0),
            ({"query": "Alna castle"}, 0),
            ({"query": "hotels"}, 0),
            ({"query": "hotels near Oslo"}, 0),
        ],
    )
    def test_place_searches_by_kind_and_place(self, given, expected):
        chain = [step("maps_search_places", "poi_count", query="hotels near Alna castle")]
        search = call("maps_search_places", given, {"count": 20})
        assert strict(one_roadblock(chain, 20), search) == expected

    @pytest.mark.parametrize(
        ("golden", "given", "expected"),
        [
            ("museums in Oslo", "find museums around Oslo", 1),
            ("museums in Oslo", "museum Oslo Norway", 1),
            ("museums in Oslo", "Oslo", 0),
            ("museums in Oslo", "museums", 0),
            ("Oslo museums", "museums near Oslo", 1),
            ("Oslo museums", "Oslo", 0),
            ("Oslo museums", "museums", 0),
            ("museums near Oslo, Norway", "museums in Oslo", 1),
            ("museums near Oslo, Norway", "museums in Norway", 0),
            ("museums near Oslo, Norway", "museums", 0),
            ("hotels near Alna castle", "hotels near the castle", 0),
            ("Alna Castle, Norway", "castle alna", 1),
            ("Alna Castle, Norway", "Alna", 1),
            ("Alna Castle, Norway", "Norway", 0),
            ("Alna Castle, Norway", "castle, Norway", 0),
            ("Alna Castle, Norway", "", 0),
            ("Norway", "norway", 1),
            ("Castle", "castle", 1),
            ("The Alna Inn Hotel & Spa", "Alna Inn", 1),
            ("The Alna Inn Hotel & Spa", "hotel", 0),
            ("Rights of way in Norway", "rights of way Norway", 1),
            ("Rights of way in Norway", "Norway", 0),
        ],
    )
    def test_a_place_search_needs_its_kind_and_what_tells_the_place(self, golden, given, expected):
        chain = [step("maps_search_places", "poi_count", query=golden)]
        search = call("maps_search_places", {"query": given}, {"count": 20})
        assert strict(one_roadblock(chain, 20), search) == expected

    def test_a_place_search_at_coordinates_the_agent_looked_up(self):
        chain = [step("maps_search_places", "poi_count", query="churches near Oslo")]
        read, here = one_roadblock(chain, 20), place("Oslo, Norway")
        located = call(
            "maps_geocode",
            {"address": "Oslo, Norway"},
            {"location": {"lat": here["latitude"], "lng": here["longitude"]}},
        )
        at = f"{here['latitude']},{here['longitude']}"
        search = call("maps_search_places", {"query": "church", "location": at}, {"count": 20})
        assert strict(read, located, search) == 1
        assert strict(read, search) == 0

    def test_one_call_serves_identical_steps(self):
        chain = [step("countries_population", "population", country="Norway")]
        stops = [roadblock(0, chain, 5), roadblock(1, chain, 5), finish(2, "5 % 10", [0], 5)]
        assert strict(leg(wire_leg(stops, 5)), country("Norway")) == 1

    def test_one_call_does_not_serve_different_steps(self):
        stops = [
            roadblock(0, [step("countries_population", "population", country="Norway")], 5),
            roadblock(1, [step("countries_population", "population", country="Norwa")], 5),
            finish(2, "5 % 10", [0], 5),
        ]
        read = leg(wire_leg(stops, 5))
        assert strict(read, country("Norway")) == 0.5
        assert strict(read, country("Norway"), country("Norway")) == 1

    def test_the_matching_is_a_maximum_where_greed_fails(self):
        countries = ["aaa ccc", "aaa bbb", "bbb aaa"]
        stops = [
            roadblock(i, [step("countries_population", "population", country=name)], 5)
            for i, name in enumerate(countries)
        ]
        read = leg(wire_leg([*stops, finish(3, "5 % 10", [0], 5)], 5))
        # Each step has two calls to choose from; greed gives the first step the call of another.
        assert strict(read, country("aaa"), country("bbb"), country("ccc")) == 1

    def test_a_failing_step_leaves_the_rest_of_the_chain_counted(self):
        read = leg(linear())
        result = score(read, without(perfect(read), "maps_elevation"), right_answer(read))
        assert (result.rcr_strict, result.right_call_rate) == (0.5, 2 / 3)
        assert (result.first_divergence, result.first_divergence_kind) == (2, "roadblock")
        assert result.needed_divergence is None


class TestClasses:
    @pytest.mark.parametrize(
        ("right", "pvr", "rcr", "expected"),
        [
            (True, 0, 0, "correct"),
            (False, 0.49, 1, "navigation"),
            (False, 0.5, 0.49, "tool use"),
            (False, 0.5, 0.5, "computation"),
            (False, 1, None, "computation"),
            (False, 0.2, None, "navigation"),
        ],
    )
    def test_one_class_each(self, right, pvr, rcr, expected):
        assert error_class(right=right, pvr=pvr, rcr=rcr, theta=0.5) == expected

    def test_theta_is_a_parameter(self):
        read = leg(linear())
        trace = Trace(events=(fetch(url("Seed town")),))
        assert score(read, trace, WRONG, theta=0.6).error_class == "navigation"
        assert score(read, trace, WRONG).error_class == "tool use"

    def test_the_profiles_may_differ(self):
        read = leg(linear())
        named = [
            call(event.name, {}, "{}") if event.name != "fetch_webpage" else event
            for event in perfect(read).events
        ]
        result = score(read, Trace(events=tuple(named)), WRONG)
        assert (result.error_class, result.error_class_strict) == ("computation", "tool use")

    def test_only_the_digit_wrong(self):
        read = leg(linear())
        result = score(read, perfect(read), WRONG)
        assert result.error_class == "computation"
        assert (result.first_divergence, result.first_divergence_kind) == (5, "finish line")
        assert (result.needed_divergence, result.needed_divergence_kind) == (5, "finish line")


class TestValues:
    @pytest.mark.parametrize(
        ("value", "text", "seen"),
        [
            (3, "in 1932", 0),
            (3, "x3 or 3.5", 0),
            (3, "the 3 of them", 1),
            (20.0, "20 hotels", 1),
            (524930, "524,930 people", 1),
            (1672.906616210938, '{"elevation": 1672.9066162109375}', 1),
            ("River Alna", "the  river alna flows", 1),
            ("River Alna", "the river", 0),
            ("1,204", "in 1204.", 1),
        ],
    )
    def test_seen_as_numbers_and_words(self, value, text, seen):
        read = leg(wire_leg([page(0, "Seed town", value), finish(1, "3 % 10", [0], 3)], 3))
        assert scored(read, fetch(url("Seed town"), text=text)).intermediate_rate == seen

    def test_failed_calls_show_nothing(self):
        read = leg(wire_leg([page(0, "Seed town", 3), finish(1, "3 % 10", [0], 3)], 3))
        assert scored(read, fetch(url("Seed town"), text="3", ok=False)).intermediate_rate == 0


class TestModelCalls:
    def calls(self, *tokens, **fields):
        return Trace(
            events=tuple(
                ModelCall(
                    protocol="chat",
                    model="m",
                    status=200,
                    input_tokens=t,
                    output_tokens=1,
                    **fields,
                )
                for t in tokens
            )
        )

    def test_tokens_and_steps(self):
        read = leg(linear())
        result = score(read, self.calls(10, 20), WRONG)
        assert (result.tokens, result.steps, result.model_calls) == (32, 2, 2)
        assert not result.over_budget
        assert score(read, self.calls(*range(11)), WRONG).over_budget

    def test_side_calls_are_no_steps(self):
        assert score(leg(linear()), self.calls(1, counts_as_step=False), WRONG).steps == 0

    def test_one_silent_reply_makes_tokens_unknown(self):
        assert score(leg(linear()), self.calls(10, None), WRONG).tokens is None

    def test_refused_calls_have_no_tokens(self):
        good, refused = self.calls(10, None).events
        trace = Trace(events=(good, replace(refused, status=429)))
        assert score(leg(linear()), trace, WRONG).tokens == 11


def test_upstream_fields():
    read = leg(linear())
    fields = upstream_compat(read, perfect(read), right_answer(read))
    assert fields["pages_visited"] == fields["pages_total"] == 2
    assert fields["right_tool_calls"] == fields["golden_chain_length"] == 3
    assert fields["page_visit_rate"] == fields["tool_completion_rate"] == fields["reward"] == 1


def test_upstream_does_not_compare_what_the_agent_left_out():
    read = leg(linear())
    bare = Trace(events=(call("maps_geocode", {}, "{}"), call("maps_elevation", {}, "{}")))
    wrong = Trace(events=(call("maps_geocode", {"address": "Oslo"}, "{}"),))
    assert upstream_compat(read, bare, WRONG)["right_tool_calls"] == 2
    assert upstream_compat(read, wrong, WRONG)["right_tool_calls"] == 0


def test_scoring_imports_nothing_heavy():
    code = (
        "import sys, pytest_aar.score; "
        "print([m for m in ('networkx', 'pydantic', 'httpx', 'asyncio') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
