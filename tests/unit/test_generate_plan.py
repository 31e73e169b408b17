"""Plans: routes that go on by a search, what flows into the digit, questions with one answer, rare transforms."""

import asyncio
import random
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from atlas_pages import bench, fact, page

from pytest_aar.generate.draft import (
    DraftStop,
    PageGraph,
    PageNode,
    Question,
    Ref,
    Rejected,
    RoutePlan,
    Thread,
)
from pytest_aar.generate.flow import flow_of
from pytest_aar.generate.levels import LEVELS
from pytest_aar.generate.makers import Spot, detours, recipes
from pytest_aar.generate.plan import plan
from pytest_aar.generate.rare import day_for, rare_for, rare_template_for, tells
from pytest_aar.generate.route import route_over
from pytest_aar.generate.templates import Entity
from pytest_aar.transforms import TRANSFORMS, apply


def planned(*pages: PageNode, **more: Any) -> RoutePlan:
    graph = PageGraph(seed=pages[0].title, pages={each.title: each for each in pages})
    return asyncio.run(plan(graph, bench(*pages, **{"level": LEVELS["medium"], **more})))


def test_a_route_goes_on_by_a_search_where_no_link_leads_on():
    height = fact("Height", 812)
    pages = (
        page("Ave", height, to=("Bex",)),
        page("Bex", height),
        page("Cly", height, fact("IATA", "CLY", "text"), fact("Serves", "Clyton", "text")),
    )
    graph = PageGraph(seed="Ave", pages={each.title: each for each in pages})
    for seed in range(10):
        route = route_over(graph, 3, bench(*pages, chance=random.Random(seed)))
        assert {each.title for each, _ in route} == {"Ave", "Bex", "Cly"}
        assert {each.title: by_search for each, by_search in route}["Cly"]


def roadblock(place: int, *, by_value: bool = True, **more: Any) -> Thread:
    return Thread(page=place, template="poi_count", by_value=by_value, **more)


@pytest.mark.parametrize(
    ("threads", "diamonds", "spare", "flow"),
    [
        ([roadblock(0, detours=2)], {}, 0, 4),
        ([roadblock(0, by_value=False, detours=2)], {}, 0, 3),
        ([roadblock(0), roadblock(0)], {}, 0, 3),  # one page for both
        ([roadblock(0)], {0: True}, 0, 5),
        ([roadblock(0, by_value=False, detours=1, on_name=True)], {}, 0, 3),
        ([Thread(page=1, template=None)], {}, 0, 1),
        ([Thread(page=0, template=None)], {}, 0, 0),  # a text is no operand
        ([Thread(page=0, template=None, detours=1)], {}, 0, 2),
        ([roadblock(0)], {1: False}, 2, 7),  # the merge first, then where most flows
        ([], dict.fromkeys(range(5), True), 5, 20),  # four operands at most
        ([Thread(page=0, template=None)], {}, 1, 0),
    ],
)  # fmt: skip
def test_only_what_flows_through_four_operands_counts(
    threads: list[Thread], diamonds: dict[int, bool], spare: int, flow: int
):
    assert flow_of(threads, diamonds, spare, figures={1}) == flow


NARROW = replace(LEVELS["medium"], stops=(4, 4), roadblocks=(1, 1), detours=(1, 1))


def test_a_plan_that_too_little_flows_through_is_refused_before_it_is_built():
    words = fact("Motto", "Ever Onward", "text")
    pages = page("Ave", words, to=("Bex",)), page("Bex", words, kind="lake")
    with pytest.raises(Rejected, match="plan: too little can flow into the digit"):
        planned(*pages, level=NARROW)
    number = fact("Height", 812)
    pages = page("Ave", number, to=("Bex",)), page("Bex", number, kind="lake")
    assert planned(*pages, level=NARROW).spare_detours == 1


def test_a_country_carries_one_diamond_since_it_has_one_population():
    level = replace(NARROW, stops=(4, 4), diamonds=(2, 2))
    land = page("Peru", fact("Height", 812), kind="country")
    names = {title: fact("Country", title, "text") for title in ("Peru", "Chile")}
    cities = [
        page(title, names["Peru"], to=("Peru", *to), kind="lake")
        for title, to in (("Ave", ("Bex",)), ("Bex", ()))
    ]
    with pytest.raises(Rejected, match="plan: too few pages can carry a diamond"):
        planned(*cities, land, level=level, variant="dag", chance=random.Random(1))
    other = page("Bex", names["Chile"], to=("Chile",), kind="lake")
    lands = land, page("Chile", fact("Height", 812), kind="country")
    graph = PageGraph(seed="Ave", pages={"Ave": cities[0], "Bex": other})
    made = asyncio.run(plan(graph, bench(*lands, level=level, variant="dag")))
    assert made.diamonds == (0, 1)
    both = page("Bex", names["Peru"], fact("Neighbour", "Chile", "text"), to=("Peru", "Chile"))
    graph = PageGraph(seed="Ave", pages={"Ave": cities[0], "Bex": both})
    for seed in range(5):
        asked = bench(*lands, level=level, variant="dag", chance=random.Random(seed))
        assert asyncio.run(plan(graph, asked)).diamonds == (0, 1)


def test_roadblocks_ask_a_country_for_its_population_or_its_area_once():
    level = replace(NARROW, stops=(8, 8), roadblocks=(3, 3), detours=(2, 2))
    lakes = [
        page(title, fact("Country", "Peru", "text"), to=("Peru", *to), kind="lake")
        for title, to in (("Ave", ("Bex",)), ("Bex", ("Cly",)), ("Cly", ()))
    ]
    land = page("Peru", fact("Height", 812), kind="country")
    asked: Counter[str] = Counter()
    for seed in range(20):
        graph = PageGraph(seed="Ave", pages={each.title: each for each in lakes})
        wanted = bench(land, level=level, chance=random.Random(seed))
        with suppress(Rejected):
            made = asyncio.run(plan(graph, wanted))
            named = [each.template for each in made.threads if each.by_value]
            assert len(named) == len(set(named))
            asked.update(named)
    assert set(asked) == {"country_population", "country_area"}


def test_a_lesser_known_fact_is_asked_for_before_a_country_or_a_capital():
    known = fact("Country", "Peru", "text"), fact("Capital", "Lima", "text")
    level = replace(NARROW, stops=(5, 5), detours=(2, 2))
    asked: Counter[str] = Counter()
    for seed in range(40):
        pages = [
            page(title, *known, fact("Largest city", "Cusco", "text"), to=("Cusco", "Lima", *to))
            for title, to in (("Ave", ("Bex",)), ("Bex", ()))
        ]
        graph = PageGraph(seed="Ave", pages={each.title: each for each in pages})
        world = page("Lima"), page("Cusco")
        wanted = bench(*world, level=level, chance=random.Random(seed))
        try:
            made = asyncio.run(plan(graph, wanted))
        except Rejected:
            continue
        asked.update(step.fact.label for step in made.route)
    assert asked.total() > 20
    assert asked["Largest city"] > 0.8 * asked.total()


def test_a_diamond_is_about_a_lesser_known_fact_where_it_can_be():
    facts = fact("Country", "Peru", "text"), fact("Largest city", "Cusco", "text")
    pages = [
        page(title, *facts, to=("Cusco", "Peru", *to), kind="lake")
        for title, to in (("Ave", ("Bex",)), ("Bex", ()))
    ]
    graph = PageGraph(seed="Ave", pages={each.title: each for each in pages})
    world = page("Peru", kind="country"), page("Cusco")
    level = replace(NARROW, diamonds=(1, 1))
    asked: Counter[str] = Counter()
    for seed in range(30):
        wanted = bench(*world, level=level, variant="dag", chance=random.Random(seed))
        made = asyncio.run(plan(graph, wanted))
        asked.update(made.route[place].fact.label for place in made.diamonds)
    assert asked["Largest city"] > 0.75 * asked.total()


def test_a_leg_has_the_rare_template_that_fell_to_it_where_a_page_allows_that():
    pages = page("Ave", fact("Height", 812), to=("Bex",)), page("Bex", fact("Height", 90))
    for template in ("place_rating", "geocode_elevation"):
        for seed in range(5):
            made = planned(*pages, level=NARROW, rare_template=template, chance=random.Random(seed))
            assert template in [thread.template for thread in made.threads]


def test_each_rare_template_falls_to_one_leg_in_four():
    dealt = [rare_template_for("key", number) for number in range(1, 21)]
    decks = [dealt[start : start + 4] for start in range(0, 20, 4)]
    assert all(len(set(deck)) == 4 for deck in decks)
    assert {"place_rating", "geocode_elevation"} < set(dealt)
    assert decks != [decks[0]] * 5


def test_each_rare_transform_falls_to_one_leg_in_three():
    for key in ("one", "another"):
        dealt = [rare_for(key, number) for number in range(1, 13)]
        for start in range(0, 12, 3):
            assert len(set(dealt[start : start + 3])) == 3
    assert [rare_for("one", n) for n in range(1, 13)] != [rare_for("two", n) for n in range(1, 13)]
    assert {"leap_years_to_2000", "next_prime"} < set(dealt) < set(TRANSFORMS)


@pytest.mark.parametrize("name", ["leap_years_to_2000", "day_of_week", "next_prime"])
def test_a_day_is_chosen_whose_distance_a_rare_transform_takes(name: str):
    start, first = date(1821, 7, 28), date(2020, 5, 17)
    for seed in range(5):
        day = day_for(name, start, random.Random(seed), first)
        assert tells(name, abs((day - start).days))
    assert day_for(None, start, random.Random(0), first) == first


def test_days_are_counted_to_a_day_that_suits_the_legs_rare_transform():
    founded = fact("Founded", "1821-07-28", "date")
    start = Entity(name="Lima", kind="city", ref=Ref(key="page0", what="page"))
    spot = Spot(page=page("Ave", founded), fact=founded, key="page0", start=start)
    for seed in range(5):
        asked = bench(rare="leap_years_to_2000", chance=random.Random(seed))
        recipe = next(recipes(("date_computation", True), spot, asked))
        assert tells("leap_years_to_2000", recipe.value)


def test_a_transform_tells_a_value_from_the_next_one():
    assert tells("next_prime", 12)
    assert not tells("next_prime", 13)  # 17 follows both 13 and 14
    assert tells("leap_years_to_2000", 1904)
    assert not tells("leap_years_to_2000", 1905)
    assert not tells("day_of_week", 812)
    assert not tells("vowel_count", "Ñuñoa")


@pytest.mark.parametrize(
    "name", [name for name in TRANSFORMS if TRANSFORMS[name].takes == "number"]
)
def test_a_transform_never_gives_the_value_that_it_takes(name: str):
    taken = [number for number in range(1, 2_200) if tells(name, number + 0.5)]
    assert taken
    assert not [number for number in taken if apply(name, number) == number]


def test_a_prime_is_not_asked_for_its_own_factors():
    assert not tells("largest_prime_factor", 13)
    assert not tells("sum_prime_factors", 13)
    assert tells("largest_prime_factor", 14)
    assert tells("sum_prime_factors", 14)


def test_a_rare_transform_comes_first_where_a_value_allows_it():
    source = DraftStop(
        key="page0", kind="page", place="", target="", value=1904, value_type="number",
        question=Question(rule=""),
    )  # fmt: skip
    for seed in range(5):
        wanted = bench(chance=random.Random(seed), rare="leap_years_to_2000")
        (first,) = detours(source, ["d"], (), wanted) or ()
        assert first.transform == "leap_years_to_2000"
    (first,) = detours(replace(source, value=12), ["d"], (), bench(rare="next_prime")) or ()
    assert (first.transform, first.value) == ("next_prime", 13)


def test_a_page_is_asked_for_a_figure_that_the_legs_rare_transform_takes():
    figures = [fact(f"Count {n}", n) for n in (1901, 1904, 1906, 1907, 1909)]
    pages = page("Ave", fact("Height", 812), to=("Bex",)), page("Bex", *figures, kind="lake")
    level = replace(NARROW, stops=(5, 5), detours=(2, 2))
    for seed in range(8):
        made = planned(*pages, level=level, rare="leap_years_to_2000", chance=random.Random(seed))
        bare = [each for each in made.threads if each.template is None]
        if bare and made.route[bare[0].page].title == "Bex":
            assert made.route[bare[0].page].fact.value == 1904
            assert bare[0].detours == 1
            return
    pytest.fail("no plan has Bex without a roadblock")
