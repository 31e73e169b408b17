import pytest
from handmade_legs import detour, diamond, finish, leg, linear, page, roadblock, step, wire_leg

from pytest_aar.leg import (
    TEMPLATES,
    Diamond,
    ancestry,
    diamonds,
    drifts,
    is_linear,
    marks_of,
    route_graph,
    templates_of,
    topological_order,
    used_operands,
    value_graph,
)
from pytest_aar.leg.placeholders import references, resolve

OSLO = {"latitude": 59.91, "longitude": 10.75}
BERGEN = {"latitude": 60.39, "longitude": 5.32}


def test_a_linear_leg():
    read = leg(linear())
    assert is_linear(read)
    assert diamonds(read) == ()
    assert topological_order(read) == (0, 1, 2, 3, 4, 5)


def test_a_diamond_is_derived_from_depends_on():
    read = leg(diamond())
    assert diamonds(read) == (Diamond(source=1, branches=(2, 3), merge=4),)
    assert not is_linear(read)


def test_a_merge_of_stops_with_different_sources_is_no_diamond():
    wire = diamond()
    wire["stops"][3]["depends_on"] = [0]
    assert diamonds(leg(wire)) == ()


def test_a_merge_of_pages_is_no_diamond():
    wire = diamond()
    wire["stops"][2] = page(2, "Branch", 5, depends_on=[1])
    assert diamonds(leg(wire)) == ()


def test_the_route_graph_has_the_stops_and_their_order():
    graph = route_graph(leg(diamond()))
    assert set(graph.predecessors(4)) == {2, 3}
    assert set(graph.predecessors(2)) == {1}
    assert graph.nodes[0]["stop"].value == 1936


def test_topological_order_follows_forward_dependencies():
    stops = [
        page(0, "A", 1, depends_on=[]),
        page(1, "B", 2, depends_on=[2]),
        page(2, "C", 3, depends_on=[0]),
        finish(3, "1 % 10", [0], 1, depends_on=[1]),
    ]
    assert topological_order(leg(wire_leg(stops, 1))) == (0, 2, 1, 3)


class TestAncestry:
    def test_only_operands_that_the_expression_uses(self):
        read = leg(linear())
        assert used_operands(read) == (0, 4)
        assert ancestry(read) == {0, 4}

    def test_through_a_merge_and_a_detour(self):
        assert ancestry(leg(diamond())) == {1, 2, 3, 4, 5}
        assert set(value_graph(leg(diamond())).predecessors(8)) == {4, 5}

    def test_through_a_placeholder_of_another_roadblock(self):
        stops = [
            roadblock(0, [step("maps_geocode", "coords", address="Oslo")], 9),
            roadblock(
                1, [step("maps_elevation", "elevation", __from_previous_as_locations="coords")], 5
            ),
            finish(2, "5 % 10", [1], 5),
        ]
        assert ancestry(leg(wire_leg(stops, 5))) == {0, 1}

    def test_through_a_roadblocks_referenced_stops(self):
        wire = linear()
        wire["stops"][4]["bridge"]["referenced_stops"] = [2]
        assert ancestry(leg(wire)) == {0, 2, 4}

    @pytest.mark.parametrize(
        ("values", "expression", "used"),
        [
            ([20, 20, 7], "(20 + 1) % 10", (0,)),
            ([20, 20], "(20 + 20) % 10", (0, 1)),
            (["524,930", 4.8], "abs(524930 - 4) % 10", (0, 1)),
            ([10, 7, 3], "(7 + 1) % 10", (1,)),
            (["Oslo", 7, 3], "(7 + 1) % 10", (1,)),
            ([-8, 1932, 3], "(8 + 193) % 10", (0,)),
            ([8, 7], "(8 + 8 + 7) % 10", (0, 1)),
            ([10, 7], "(7 + 1) % 10", (1,)),
            ([10, 7], "7 plus 10", ()),
        ],
    )
    def test_each_literal_is_claimed_once(self, values, expression, used):
        stops = [page(i, f"P{i}", value) for i, value in enumerate(values)]
        stops.append(finish(len(stops), expression, list(range(len(values))), 1))
        assert used_operands(leg(wire_leg(stops, 1))) == used


class TestMarks:
    def test_templates_by_their_table_6_names(self):
        assert templates_of(leg(linear())) == ("geocode_elevation", "date_computation")
        assert templates_of(leg(diamond()))[2] == "diamond_merge"

    def test_an_unknown_chain_is_custom(self):
        wire = linear()
        wire["stops"][4]["bridge"]["tool_chain"][0]["output_key"] = None
        assert templates_of(leg(wire)) == ("geocode_elevation", "custom")

    def test_table_7_labels(self):
        labels = {template.label for template in TEMPLATES if template.label}
        assert labels == {"date_comp", "math_conv", "geocode_dist", "country_area", "country_pop"}
        assert len(TEMPLATES) == 17

    def test_marks_of_a_sandbox_leg(self):
        assert marks_of(leg(linear(), "linear/easy/1")) == (
            "aar",
            "aar_linear",
            "aar_easy",
            "aar_stable",
            "aar_template_geocode_elevation",
            "aar_template_date_computation",
        )

    @pytest.mark.parametrize(("stated", "marked"), [(True, True), (False, False), ("yes", False)])
    def test_the_small_set_is_what_metadata_say(self, stated: object, marked: bool):
        wire = linear()
        wire["metadata"] = {"smoke": stated}
        assert ("aar_smoke" in marks_of(leg(wire))) is marked

    def test_a_custom_level_has_no_mark(self):
        assert "aar_mine" not in marks_of(leg(linear(), "linear/mine/1"))

    def test_a_place_count_in_the_ancestry_drifts_in_the_real_world(self):
        wire = diamond() | {"seed_url": "https://en.wikipedia.org/wiki/X"}
        assert drifts(leg(wire))
        assert not drifts(leg(diamond()))

    def test_language_editions_drift(self):
        stops = [
            page(0, "A", 88, extraction_target="the number of language editions"),
            detour(1, "digit_sum", 0, 16),
            finish(2, "16 % 10", [1], 6),
        ]
        wire = wire_leg(stops, 6, seed_url="https://en.wikipedia.org/wiki/X")
        assert drifts(leg(wire))


class TestPlaceholders:
    def test_as_locations(self):
        assert resolve({"__from_previous_as_locations": "coords"}, {"coords": OSLO}) == {
            "locations": [OSLO]
        }

    def test_as_origins_destinations(self):
        arguments = {"__from_previous_as_origins_destinations": ["a", "b"]}
        assert references(arguments) == ("a", "b")
        assert resolve(arguments, {"a": OSLO, "b": BERGEN}) == {
            "origins": ["59.91,10.75"],
            "destinations": ["60.39,5.32"],
        }

    def test_merged_fields(self):
        arguments = {"__from_previous": "coords", "start_date": "2020-01-01"}
        assert resolve(arguments, {"coords": OSLO}) == {"start_date": "2020-01-01"} | OSLO

    def test_without_placeholders_nothing_changes(self):
        assert resolve({"address": "Oslo"}, {}) == {"address": "Oslo"}

    def test_an_output_without_fields(self):
        with pytest.raises(ValueError, match="output 'coords' is 3: it has no fields"):
            resolve({"__from_previous": "coords"}, {"coords": 3})

    def test_an_output_that_is_not_there(self):
        with pytest.raises(KeyError, match="coords"):
            resolve({"__from_previous": "coords"}, {})
