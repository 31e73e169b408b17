import json

from handmade_legs import detour, finish, leg, page, roadblock, step, wire_leg
from hypothesis import given, settings
from hypothesis import strategies as st
from perfect_trace import call, fetch, perfect, right_answer

from pytest_aar.leg import ancestry, diamonds, topological_order
from pytest_aar.leg_file import parse_leg, write_leg
from pytest_aar.score import (
    ERROR_CLASSES,
    bootstrap_mean,
    canonical_title,
    error_classes,
    score,
    wilson,
)
from pytest_aar.trace import Finish, Trace

TITLES = ("Seed town", "River Alna", "Alna castle", "Lake Ulna", "Mount Alna")
CHAINS = (
    lambda name: [step("countries_population", "population", country=name)],
    lambda name: [step("maps_search_places", "poi_count", query=f"hotels near {name}")],
    lambda name: [step("python_execute_code", "converted", code=f"print({name!r})")],
    lambda name: [
        step("maps_geocode", "coords", address=name),
        step("maps_elevation", "elevation", __from_previous_as_locations="coords"),
    ],
    lambda name: [
        step("maps_geocode", "coords_a", address=name),
        step("maps_geocode", "coords_b", address=f"{name} Harbour"),
        step(
            "maps_distance_matrix",
            "distance_km",
            __from_previous_as_origins_destinations=["coords_a", "coords_b"],
        ),
    ],
)
VALUES = st.integers(1, 10**7) | st.floats(0.5, 1e5)


@st.composite
def legs(draw):
    stops = [page(0, "Seed town", draw(VALUES), depends_on=[])]
    for _ in range(draw(st.integers(0, 8))):
        index = len(stops)
        kind = draw(st.sampled_from(("page", "roadblock", "detour", "diamond")))
        before = {"depends_on": [index - 1]}
        if kind == "page":
            stops.append(page(index, draw(st.sampled_from(TITLES)), draw(VALUES), **before))
        elif kind == "roadblock":
            chain = draw(st.sampled_from(CHAINS))(draw(st.sampled_from(TITLES)))
            stops.append(roadblock(index, chain, draw(VALUES), **before))
        elif kind == "detour":
            source = draw(st.integers(0, index - 1))
            stops.append(detour(index, "digit_sum", source, draw(st.integers(1, 60)), **before))
        else:
            name = draw(st.sampled_from(TITLES))
            stops.append(roadblock(index, CHAINS[3](name), draw(VALUES), **before))
            stops.append(roadblock(index + 1, CHAINS[1](name), draw(VALUES), **before))
            merge = step("python_execute_code", "merged", code="print(1)")
            both = {"depends_on": [index, index + 1]}
            stops.append(roadblock(index + 2, [merge], draw(VALUES), **both))
    operands = draw(st.lists(st.integers(0, len(stops) - 1), max_size=4, unique=True))
    terms = [str(int(stops[operand]["extracted_value"])) for operand in operands] or ["1"]
    digit = draw(st.integers(0, 9))
    stops.append(finish(len(stops), f"({' + '.join(terms)}) % 10", operands, digit))
    return leg(wire_leg(stops, digit))


# Four other workers may share the two cores: a slow example is no failure.
relaxed = settings(deadline=None, max_examples=60)

answers = st.none() | st.integers(0, 9)


@st.composite
def races(draw):
    read = draw(legs())
    events = perfect(read).events
    kept = draw(st.lists(st.sampled_from(events), max_size=len(events)))
    answer = draw(answers)
    return read, Trace(events=tuple(kept)), Finish(ending="answered", answer=answer)


@relaxed
@given(legs())
def test_the_golden_trace_scores_one(read):
    result = score(read, perfect(read), right_answer(read))
    assert (result.fa, result.pvr) == (1, 1)
    assert result.rcr in {1, None}
    assert result.rcr_strict == result.rcr
    assert result.first_divergence is None


@relaxed
@given(legs())
def test_written_and_read_again_it_is_the_same_leg(read):
    again = parse_leg(write_leg(read), leg_id=read.leg_id, where="x")
    assert again.stops == read.stops
    assert json.loads(write_leg(again)) == json.loads(write_leg(read))


@relaxed
@given(races(), st.data())
def test_dropping_an_event_never_raises_a_rate(race, data):
    read, trace, answer = race
    if not trace.events:
        return
    dropped = data.draw(st.integers(0, len(trace.events) - 1))
    fewer = Trace(events=trace.events[:dropped] + trace.events[dropped + 1 :])
    before, after = score(read, trace, answer), score(read, fewer, answer)
    assert after.pvr <= before.pvr
    assert (after.rcr or 0) <= (before.rcr or 0)
    assert (after.right_call_rate or 0) <= (before.right_call_rate or 0)
    assert (after.intermediate_rate or 0) <= (before.intermediate_rate or 0)


@relaxed
@given(races())
def test_noise_changes_no_rate(race):
    read, trace, answer = race
    noise = (
        fetch("https://wiki.aar.test/wiki/Nowhere_near"),
        call("web_search", {"query": "x"}, "{}"),
        call("countries_population", {"country": "Nowhere"}, "{}", ok=False),
    )
    before = score(read, trace, answer)
    after = score(read, Trace(events=noise[:2] + trace.events + noise[2:]), answer)
    assert (after.pvr, after.rcr_strict) == (before.pvr, before.rcr_strict)
    assert after.first_divergence == before.first_divergence


@relaxed
@given(races())
def test_strict_is_never_easier_than_paper(race):
    result = score(*race)
    assert (result.rcr_strict or 0) <= (result.rcr or 0)
    for rate in (result.pvr, result.rcr, result.rcr_strict, result.rcr_types):
        assert rate is None or 0 <= rate <= 1


@relaxed
@given(races())
def test_the_order_of_independent_visits_does_not_matter(race):
    read, trace, answer = race
    fetches = tuple(event for event in trace.events if event.name == "fetch_webpage")
    one = score(read, Trace(events=fetches), answer)
    other = score(read, Trace(events=fetches[::-1]), answer)
    assert one == other


@relaxed
@given(st.lists(races(), max_size=4))
def test_error_classes_add_up(many):
    counts = error_classes(score(*race) for race in many)
    assert sum(counts.values()) == len(many)
    assert tuple(counts) == ERROR_CLASSES


@relaxed
@given(legs())
def test_order_and_ancestry_are_of_the_legs_stops(read):
    order = topological_order(read)
    assert sorted(order) == [stop.index for stop in read.stops]
    assert all(source in range(len(read.stops) - 1) for source in ancestry(read))
    merges = [s for s in read.roadblocks if s.chain[0].output_key == "merged"]
    assert [diamond.merge for diamond in diamonds(read)] == [merge.index for merge in merges]


@relaxed
@given(st.integers(0, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_contains_the_share(pair):
    successes, races_run = pair
    low, high = wilson(successes, races_run)
    assert 0 <= low <= high <= 1
    if races_run:
        assert low <= successes / races_run <= high


@relaxed
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_the_bootstrap_contains_the_mean(values):
    low, high = bootstrap_mean(values, resamples=100)
    assert low - 1e-12 <= sum(values) / len(values) <= high + 1e-12


@relaxed
@given(st.text(min_size=1))
def test_a_title_is_canonical_after_one_pass(text):
    assert canonical_title(canonical_title(text)) == canonical_title(text)
