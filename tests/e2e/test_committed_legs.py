"""The legs in the repository: golden values hold, ranges are kept, clues give nothing away."""

import asyncio
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_aar.generate.levels import LEVELS
from pytest_aar.generate.making import make
from pytest_aar.generate.order import GENERATOR, Wish
from pytest_aar.generate.sandbox import workshop
from pytest_aar.golden import Walk, walk
from pytest_aar.leaks import leaks_in
from pytest_aar.leg import Detour, FinishLine, Leg, PitStop, Roadblock, RouteInfo
from pytest_aar.leg.ancestry import FLOW, ancestry
from pytest_aar.leg.graph import diamonds, is_linear
from pytest_aar.leg.marks import marks_of
from pytest_aar.leg.templates import MERGE, TEMPLATES, template_of
from pytest_aar.leg_file import read_leg, write_leg
from pytest_aar.transforms import TRANSFORMS
from pytest_aar.world import load

ROOT = Path(__file__).resolve().parents[2] / "legs"
FILES = sorted(ROOT.glob("*/*/[0-9]*.json"))
LEGS = [read_leg(path, legs_root=ROOT) for path in FILES]
each_leg = pytest.mark.parametrize("leg", LEGS, ids=[leg.leg_id for leg in LEGS])


def walked(leg: Leg) -> Walk:
    async def run() -> Walk:
        async with workshop() as shop:
            return await walk(leg, shop.call_tool)

    return asyncio.run(run())


def test_there_are_twelve_legs_for_each_variant_and_level_and_two_of_the_small_set():
    cells = [(variant, level) for variant in ("linear", "dag") for level in LEVELS]
    assert Counter((leg.variant, leg.level) for leg in LEGS) == dict.fromkeys(cells, 12)
    small = Counter((leg.variant, leg.level) for leg in LEGS if "aar_smoke" in marks_of(leg))
    assert small == dict.fromkeys(cells, 2)


def test_the_readme_names_the_generator_that_made_them_and_the_present_one():
    told = (ROOT / "README.md").read_text()
    assert {leg.metadata["generator"] for leg in LEGS} | {GENERATOR} == set(
        re.findall(r"pytest-aar/\d+", told)
    )


def test_every_template_and_transform_is_used_and_digits_vary():
    used = Counter(template_of(stop) for leg in LEGS for stop in leg.roadblocks)
    assert {template.name for template in TEMPLATES} <= set(used)
    assert used[MERGE] == sum(len(diamonds(leg)) for leg in LEGS)
    assert {stop.transform for leg in LEGS for stop in leg.detours} == set(TRANSFORMS)
    digits = Counter(leg.digit for leg in LEGS)
    assert len(digits) == 10
    assert max(digits.values()) <= 15
    roots = [leg for leg in LEGS if "digital_root" in leg.finish.expression]
    assert len(roots) * 3 <= len(LEGS)


@each_leg
def test_a_leg_walks_clean(leg: Leg):
    outcome = walked(leg)
    assert [str(mismatch) for mismatch in outcome.mismatches] == []
    assert outcome.digit == leg.digit


@each_leg
def test_a_leg_keeps_to_its_level(leg: Leg):
    level = LEVELS[leg.level]
    found = len(diamonds(leg))
    merges = [stop for stop in leg.roadblocks if template_of(stop) == MERGE]
    assert len(merges) == found
    if leg.variant == "linear":
        assert is_linear(leg)
        assert found == 0
    else:
        assert level.diamonds[0] <= found <= level.diamonds[1]
    stops = len(leg.stops) - 1 - 3 * found
    assert level.stops[0] <= stops <= level.stops[1]
    assert level.roadblocks[0] <= len(leg.roadblocks) - 3 * found <= level.roadblocks[1]
    assert level.detours[0] <= len(leg.detours) <= level.detours[1]


@each_leg
def test_most_values_flow_into_the_digit(leg: Leg):
    assert 2 <= len(leg.finish.operands) <= 4
    flow = ancestry(leg)
    assert set(leg.finish.operands) <= flow
    assert len(flow) + 1 >= FLOW * len(leg.stops)


@each_leg
def test_clues_are_numbered_one_per_stop_and_give_nothing_away(leg: Leg):
    clues = leg.clues.split("\n\n")
    assert [clue.split(". ")[0] for clue in clues] == [
        str(number) for number in range(1, len(leg.stops) + 1)
    ]
    titles = [stop.page_url.rsplit("/", 1)[1].replace("_", " ") for stop in leg.route_infos]
    values = [stop.value for stop in leg.stops[:-1]]
    assert list(leaks_in(leg.clues, titles, values)) == []


@each_leg
def test_a_leg_says_where_it_comes_from(leg: Leg):
    assert leg.metadata["world"] == "sandbox"
    assert leg.metadata["world_hash"] == load().hash
    assert leg.metadata["variant"] == leg.variant
    assert leg.generated_at == load().date
    assert write_leg(leg) == (ROOT / f"{leg.leg_id}.json").read_bytes()


@pytest.mark.parametrize("kind", [RouteInfo, Roadblock, Detour, FinishLine])
def test_one_changed_golden_value_is_found_at_its_stop_alone(kind: type[PitStop]):
    leg = next(leg for leg in LEGS if leg.variant == "dag")
    stop = next(s for s in leg.stops if isinstance(s, kind) and s.section is None)
    wrong = f"{stop.value}x" if isinstance(stop.value, str) else stop.value + 1
    stops = [replace(s, value=wrong) if s is stop else s for s in leg.stops]
    outcome = walked(replace(leg, stops=tuple(stops)))
    found = [(m.stop, m.old, m.new) for m in outcome.mismatches]
    assert found == [(stop.index, wrong, stop.value)]


@pytest.mark.parametrize("variant", ["linear", "dag"])
def test_the_same_seed_gives_the_same_bytes(variant: str, tmp_path: Path):
    def made(out: Path) -> bytes:
        wish = Wish(variant=variant, level=LEVELS["easy"], count=1, rng_seed=7, out=out)

        async def run() -> Path:
            async with workshop() as shop:
                return (await anext(make(wish, shop))).path

        return asyncio.run(run()).read_bytes()

    assert made(tmp_path / "one") == made(tmp_path / "two")
