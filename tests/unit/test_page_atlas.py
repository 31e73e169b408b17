"""Pages read from the text that the tool gives: facts, links, kind, place."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from pytest_aar.generate.page_atlas import PageAtlas, page_node
from pytest_aar.generate.page_kinds import kind_of
from pytest_aar.tools import ToolResult

WIKI = "https://en.wikipedia.org/wiki/"
TEXT = """# Tarnau
URL: https://en.wikipedia.org/wiki/Tarnau
Languages: 12 (other language editions of this page)
Sections:
1 Geography
2 History

[Coordinates](/wiki/Geographic_coordinate_system): [46.1°N 14.8°W / 46.1; -14.8](https://geohack.org/x)

Town in Norland

| Tarnau |
| Country | [Norland](/wiki/Norland) |
| [Elevation](/wiki/Elevation) | 295 m (968 ft) |
| Founded | 3 May 1204 |
| Capital and largest city | [Ostau](/wiki/Ostau) [46°N 15°W / 46; -15](https://geohack.org/y(1,000)_x) |
| Chartered | March 4, 1837; 189 years ago (1837-03-04) |
| Rivers | [Ash](/wiki/Ash_(river)), [Elm](/wiki/Elm_(river)) |
| [Area](/wiki/Area) |
| • Total | 15 km2 (6 sq mi) |
| • Land | 12 km2 (5 sq mi) |
| Population (2020)[3] |
| • Total | Neutral increase 12,345 |
| • [Mayor](/wiki/Mayor) | [Ada Lind](/wiki/Ada_Lind) |
| Area code | 061 or 062 |
| Twin | [Lind](/wiki/Lind) |
| Twin | [Aust](/wiki/Aust) |

Tarnau is a town with a population of 12,345 on the [Ash](/wiki/Ash_(river)).

## Geography

It lies below [Mount Egg](/wiki/Mount_Egg#Name), see [a map](/wiki/File:Map.png).

### History

Elevation: 295 m of old.

## History

[Lind](/wiki/Lind) was first.

## References

[A book](/wiki/Book)
"""


def test_rows_that_a_reader_finds_again_are_facts():
    node = page_node("Tarnau", WIKI + "Tarnau", TEXT)
    found = [(f.label, f.value, f.value_type, f.unit, f.section) for f in node.facts]
    assert found == [
        ("Country", "Norland", "text", None, "infobox"),
        ("Elevation", 295, "number", "m", "infobox"),
        ("Founded", "1204-05-03", "date", None, "infobox"),
        ("Capital and largest city", "Ostau", "text", None, "infobox"),
        ("Chartered", "1837-03-04", "date", None, "infobox"),
        ("Area: Total", 15, "number", "km2", "infobox"),
        ("Area: Land", 12, "number", "km2", "infobox"),
        ("Population: Total", 12345, "number", None, "infobox"),
        ("Population: Mayor", "Ada Lind", "text", None, "infobox"),
        ("population", 12345, "number", None, "lead"),
    ]


def test_groups_of_one_name_are_ambiguous():
    other = TEXT.replace(
        "| Twin | [Lind]", "| Area (of lakes) |\n| • Water | 3 km2 |\n| Twin | [Lind]"
    )
    labels = {fact.label for fact in page_node("Tarnau", "", other).facts}
    assert "Area: Land" not in labels
    assert "Population: Total" in labels


def test_a_row_whose_label_leads_to_another_value_first_is_no_fact():
    other = TEXT.replace("Town in Norland", "Elevation: 3 m")
    labels = [fact.label for fact in page_node("Tarnau", "", other).facts]
    assert "Elevation" not in labels
    assert "Country" in labels


def test_links_know_their_row_or_section_once_headings_are_unique():
    links = page_node("Tarnau", "", TEXT).links
    assert [(each.title, each.anchor, each.section, each.label) for each in links] == [
        ("Norland", "Norland", "infobox", "Country"),
        ("Ostau", "Ostau", "infobox", "Capital and largest city"),
        ("Ash (river)", "Ash", "infobox", None),
        ("Elm (river)", "Elm", "infobox", None),
        ("Ada Lind", "Ada Lind", "infobox", "Population: Mayor"),
        ("Lind", "Lind", "infobox", "Twin"),
        ("Aust", "Aust", "infobox", "Twin"),
        ("Mount Egg", "Mount Egg", "Geography", None),
    ]


def test_a_page_knows_its_kind_place_country_and_first_sentences():
    node = page_node("Tarnau", "", TEXT)
    assert (node.kind, node.location, node.country) == ("city", (46.1, -14.8), "Norland")
    assert node.lead.startswith("Tarnau is a town with a population")


@pytest.mark.parametrize(
    ("lead", "labels", "kind"),
    [
        ("Country in Europe", {"Calling code", "Internet TLD", "Currency"}, "country"),
        ("Part of a continent", {"Calling code", "Internet TLD"}, "subject"),
        ("[Coordinates](/x): 3\n\nBridge in Tarnau City, Norland", set(), "subject"),
        ("[Coordinates](/x): 3\n\nMost populous city of Norland", set(), "city"),
        ("[Coordinates](/x): 3\n\nAirport in Norland", {"IATA", "ICAO"}, "airport"),
        ("[Coordinates](/x): 3\n\nCapital of Norland", set(), "city"),
        ("Capital of Norland", set(), "subject"),
        ("American singer", {"Born"}, "person"),
        ("Private college in Norland", set(), "college"),
        ("Form of government", set(), "subject"),
        ("| City |\n\nCity", set(), "subject"),
    ],
)
def test_kinds_come_from_rows_and_the_short_description(lead: str, labels: set[str], kind: str):
    assert kind_of(lead, frozenset(labels)) == kind


@pytest.mark.parametrize(
    ("paragraph", "kind"),
    [
        (
            "Tarnau (Norse: Tarn; also the Old Town) is the capital and largest city of Norland.",
            "city",
        ),
        ("Tarnau Bridge is a bridge in the city of Tarnau.", "subject"),
        ("The Ash is one of the longest rivers.", "subject"),
        ("The Egg is the highest mountain in Norland.", "mountain"),
        ("Tarnau.", "subject"),
    ],
)
def test_without_a_short_description_the_first_sentence_tells_the_kind(paragraph: str, kind: str):
    lead = "[Coordinates](/x): 3\n\n| Tarnau |\n\n"
    assert kind_of(lead, frozenset(), paragraph) == kind


def test_the_atlas_fetches_a_page_once_and_takes_its_own_title():
    asked = []

    async def call_tool(name: str, arguments: Mapping[str, Any]) -> ToolResult:
        asked.append((name, arguments["url"]))
        is_there = "Tarnau" in arguments["url"]
        return ToolResult(ok=is_there, text=TEXT if is_there else "{}")

    async def run() -> None:
        atlas = PageAtlas(WIKI, call_tool)
        for _ in range(2):
            node = await atlas.node("Old Tarnau (town)")
            assert node is not None
            assert (node.title, node.url) == ("Tarnau", WIKI + "Tarnau")
        assert await atlas.node("Nowhere") is None
        assert atlas.peek("Old Tarnau (town)") is None

    asyncio.run(run())
    assert asked == [
        ("fetch_webpage", WIKI + "Old_Tarnau_(town)"),
        ("fetch_webpage", WIKI + "Nowhere"),
    ]
