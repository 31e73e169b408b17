"""Every single wording of the grammar is understood by the reader, which shares no table with it."""

import pytest

from pytest_aar.generate.detour_phrases import DETOURS, FINISH
from pytest_aar.generate.phrases import REFERENCES
from pytest_aar.generate.task_phrases import TASKS
from pytest_aar.reader import ReadStep, read_clues

PYTHON = {"python_execute_code"}
WEATHER = {"maps_geocode", "weather_historical"}
TOOLS = {
    "geocode_elevation": {"maps_geocode", "maps_elevation"},
    "geocode_distance": {"maps_geocode", "maps_distance_matrix"},
    "directions_duration": {"maps_directions"},
    "weather_temperature": WEATHER,
    "weather_precipitation": WEATHER,
    "weather_snowfall": WEATHER,
    "weather_sunshine": WEATHER,
    "date_computation": PYTHON,
    "math_conversion": PYTHON,
    "poi_count": {"maps_search_places"},
    "place_rating": {"maps_search_places"},
    "country_population": {"countries_population"},
    "country_area": {"countries_area"},
    "stock_price": {"stock_historical_price"},
    "stock_volume": {"stock_volume"},
    "crypto_price": {"crypto_historical_price"},
    "crypto_volume": {"crypto_volume"},
    "merge_add": PYTHON,
    "merge_difference": PYTHON,
}
SLOTS = {
    "other": "the city you named in clue 4",
    "country": "the country that is your answer to clue 3",
    "until": "2020-01-02",
    "category": "hotels",
    "ticker": "KO",
    "symbol": "ETHUSDT",
    "unit_from": "metres",
    "unit_to": "feet",
    "unit_one": "metre",
    "factor": "3.28084",
    "first": "3",
    "second": "4",
}


def read(clue: str) -> ReadStep:
    """The step of a clue that is not the last one."""
    return read_clues(f"1. {clue}\n\n2. Add the results.")[0]


@pytest.mark.parametrize("reference", REFERENCES["page"])
@pytest.mark.parametrize("template", TASKS)
def test_roadblocks_and_merges(template: str, reference: str):
    place = reference.format(noun="city", n=3)
    date = "3" if template == "date_computation" else "2020-01-02"
    for wording in TASKS[template]:
        clue = wording.format(**SLOTS, place=place, date=date, figure="the answer to clue 3")
        step = read(clue)
        assert (step.kind, step.tools) == ("roadblock", TOOLS[template]), clue
        if template.startswith("merge"):
            operation = "sum" if template == "merge_add" else "difference"
            assert (step.operation, step.operands) == (operation, (3, 4)), clue


@pytest.mark.parametrize("transform", DETOURS)
def test_detours(transform: str):
    figures = [text.format(noun="", n=3) for text in REFERENCES["figure"] + REFERENCES["whole"]]
    names = [text.format(noun="", n=3) for text in REFERENCES["name"]]
    for wording in DETOURS[transform]:
        for said in names if "{name}" in wording else figures:
            step = read(wording.format(figure=said, name=said))
            found = (step.kind, step.operation, step.operands)
            assert found == ("detour", transform, (3,)), wording.format(figure=said, name=said)


@pytest.mark.parametrize("rule", FINISH)
def test_finish_lines(rule: str):
    for wording in FINISH[rule]:
        clue = wording.format(figures="3, 4 and 12")
        (step,) = read_clues(f"1. {clue}")
        found = (step.kind, step.operation, step.operands)
        assert found == ("finish line", rule, (3, 4, 12)), clue
