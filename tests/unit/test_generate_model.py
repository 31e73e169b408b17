"""Routes and clues by a model: asked through the gateway, recorded, replayed, and checked like others."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from atlas_pages import fact, page
from click.testing import CliRunner
from little_world import chat

from pytest_aar.cli.generate import command
from pytest_aar.errors import CassetteMissing
from pytest_aar.generate.author import Author
from pytest_aar.generate.draft import (
    Draft,
    DraftStop,
    PageGraph,
    Question,
    Rejected,
    RoutePlan,
    RouteStep,
    Way,
)
from pytest_aar.generate.levels import LEVELS
from pytest_aar.generate.making import Made, make, order_for
from pytest_aar.generate.order import Wish
from pytest_aar.generate.pipeline import ASKED_TRIES, Tried, make_leg
from pytest_aar.generate.reword import reworded
from pytest_aar.generate.sandbox import workshop
from pytest_aar.settings import Settings

LEVEL = replace(LEVELS["easy"], stops=(4, 4), roadblocks=(1, 1), detours=(1, 1))
WISH = Wish(
    variant="linear",
    level=LEVEL,
    count=1,
    rng_seed=2,
    out=Path(),
    asked={"planner": "llm:author", "verbalizer": "llm:author"},
)


class Model(httpx.AsyncBaseTransport):
    """Plans the last route that the links allow; words clues by a function.

    Its first `faithful` routes lead to its `favourite`, if a link does.
    """

    def __init__(
        self,
        word: Callable[[str], str] = lambda clues: clues,
        *,
        favourite: str = "",
        faithful: int = 0,
    ) -> None:
        self.word, self.favourite, self.faithful = word, favourite, faithful
        self.asked: list[str] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        role, question = (each["content"] for each in json.loads(await request.aread())["messages"])
        plans = role.startswith("You plan routes")
        self.asked.append("plan" if plans else "word")
        answer = self.route(json.loads(question)) if plans else self.word(question)
        return httpx.Response(200, json=chat(answer))

    def route(self, asked: dict[str, Any]) -> str:
        route = [asked["start"]]
        while len(route) < asked["pages"]:
            following = [t for t in asked["links"].get(route[-1], []) if t not in route]
            if self.favourite in following and self.asked.count("plan") <= self.faithful:
                following = [self.favourite]
            route.append(following[-1] if following else "nowhere")
        return f"Here it is:\n{json.dumps({'route': route})}"


def made(tmp_path: Path, model: Model, *, record: str, out: str) -> Made:
    return all_made(tmp_path, model, replace(WISH, out=tmp_path / out), record=record)[0][0]


def all_made(
    tmp_path: Path, model: Model, wish: Wish, *, record: str
) -> tuple[list[Made], Counter[str]]:
    """The legs, and the rejects."""
    settings = Settings(
        model="author",
        base_url="https://model.test/v1",
        cassettes=tmp_path / "cassettes",
        record=record,  # type: ignore[arg-type]  # one of the modes
        world="sandbox",
    )

    async def run() -> tuple[list[Made], Counter[str]]:
        with Author(settings, upstream=model) as author:
            async with workshop() as plain:
                shop = replace(plain, author=author)
                return [each async for each in make(wish, shop)], shop.rejects

    return asyncio.run(run())


def test_what_the_model_said_is_recorded_and_gives_the_same_leg_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("AAR_API_KEY", "a-key")
    model = Model(word=lambda clues: re.sub(r"(?m)^(\d+\. )", r"\1Now then: ", clues))
    first = made(tmp_path, model, record="once", out="one")
    assert {"plan", "word"} == set(model.asked)
    assert first.leg.clues.startswith("1. Now then: ")
    assert first.leg.metadata["planner"] == first.leg.metadata["verbalizer"] == "llm:author"
    assert list((tmp_path / "cassettes").rglob("generator*"))
    nobody = Model()
    again = made(tmp_path, nobody, record="none", out="two")
    assert nobody.asked == []
    assert again.path.read_bytes() == first.path.read_bytes()


def test_without_a_recording_nothing_is_asked(tmp_path: Path):
    with pytest.raises(CassetteMissing):
        made(tmp_path, Model(), record="none", out="one")


def test_a_leg_too_like_another_is_asked_for_again_in_the_same_conversation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("AAR_API_KEY", "a-key")
    seed = ("https://wiki.aar.test/wiki/Peru",)
    wish = replace(WISH, count=2, rng_seed=6, seed_urls=seed, asked={"planner": "llm:author"})
    model = Model(favourite="Lima", faithful=3)
    first, rejects = all_made(tmp_path, model, replace(wish, out=tmp_path / "one"), record="once")
    assert rejects["set: pages too much like another leg's"]
    nobody = Model()
    again, _ = all_made(tmp_path, nobody, replace(wish, out=tmp_path / "two"), record="none")
    assert nobody.asked == []
    assert [each.path.read_bytes() for each in again] == [each.path.read_bytes() for each in first]


def test_a_model_is_asked_for_a_limited_number_of_drafts_of_one_leg():
    asked: list[str] = []

    async def ask(role: str, question: str) -> str:
        asked.append(question)
        return "no route"

    async def run() -> Tried:
        async with workshop() as shop:
            order = order_for(WISH, shop)
            return await make_leg(order, 1, shop, attempt=ASKED_TRIES - 2, ask=ask)

    assert asyncio.run(run()).leg is None
    assert len(asked) <= 2


def draft() -> Draft:
    """Two stops on the page Tarnau, whose figure is 812."""
    stops = tuple(
        DraftStop(
            key=key, kind=kind, place="Tarnau", target="", value=value, value_type="number",
            question=Question(rule=""),
        )
        for key, kind, value in (("page0", "page", 812), ("finish", "finish", 2))
    )  # fmt: skip
    plan = RoutePlan(
        route=(RouteStep(title="Tarnau", kind="city", fact=fact("Height", 812)),), threads=()
    )
    graph = PageGraph(seed="Tarnau", pages={"Tarnau": page("Tarnau")})
    return Draft(graph=graph, plan=plan, stops=stops, clues="1. Begin.\n\n2. End.")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("1. Start here.\n\n2. Take its last digit.", None),
        ("  1. Start here.\n\n\n2. Take its last digit.\n", None),
        ("1. Start here.", "clues are not one for each stop"),
        ("2. Take its last digit.\n\n1. Start here.", "clues are not one for each stop"),
        ("Sure!\n\n1. Start here.\n\n2. Go.", "clues are not one for each stop"),
        ("1. Start in Tarnau.\n\n2. Go.", "clues give something away"),
        ("1. It is 812 high.\n\n2. Go.", "clues give something away"),
        ("1. Use maps_geocode.\n\n2. Go.", "clues give something away"),
    ],
)
def test_a_models_clues_pass_the_same_checks(answer: str, reason: str | None):
    async def ask(role: str, question: str) -> str:
        assert question == "1. Begin.\n\n2. End."
        return answer

    if reason is None:
        worded = asyncio.run(reworded(draft(), ask)).clues
        assert worded == "1. Start here.\n\n2. Take its last digit."
    else:
        with pytest.raises(Rejected, match=reason):
            asyncio.run(reworded(draft(), ask))


SAID = (
    "1. The second link under “See also” on the page of clue 3 leads on; note “Height” on 2020-01-02, "
    "1,200 times KO.\n\n2. End."
)


@pytest.mark.parametrize(
    ("kept", "changed"),
    [
        ("The second link", "Of the links the second"),
        ("“See also”", '"See also"'),
        ("“Height”", "the item Height"),
        (" times KO", " of KO"),
    ],
)
def test_a_model_may_word_anew_what_stands_around_what_counts(kept: str, changed: str):
    assert changed in clues_of_a_model(SAID.replace(kept, changed))


@pytest.mark.parametrize(
    ("lost", "instead"),
    [
        ("second", "last"),
        ("“See also”", "the end"),
        ("clue 3", "clue 4"),
        ("clue 3", "clue 13"),
        ("“Height”", "“Depth”"),
        ("2020-01-02", "2 January"),
        ("1,200", "200"),
        ("KO", "Coca"),
        (SAID.partition("\n")[0], "1. Open the article."),
    ],
)
def test_a_models_clue_must_keep_what_is_in_quotes_numbers_dates_codes_and_references(
    lost: str, instead: str
):
    with pytest.raises(Rejected, match="a clue of the model's lacks what the grammar's says"):
        clues_of_a_model(SAID.replace(lost, instead))


def clues_of_a_model(answer: str) -> str:
    """What becomes of a model's answer to `SAID`, whose page is the second link of a section."""

    async def ask(role: str, question: str) -> str:
        return answer

    given = draft()
    way = Way(kind="link_follow", target="", rule="ordinal", slots={"ordinal": "second"})
    stops = (replace(given.stops[0], way=way), given.stops[1])
    return asyncio.run(reworded(replace(given, stops=stops, clues=SAID), ask)).clues


def test_a_model_that_drops_what_pages_are_asked_for_makes_no_leg():
    asked: list[str] = []

    async def ask(role: str, question: str) -> str:
        asked.append(question)
        _, *others = question.split("\n\n")
        return "\n\n".join(["1. Open the article.", "2. Open the article.", *others[1:]])

    async def run() -> Tried:
        async with workshop() as shop:
            order = order_for(replace(WISH, asked={"verbalizer": "llm:author"}), shop)
            return await make_leg(order, 1, shop, attempt=ASKED_TRIES - 20, ask=ask)

    tried = asyncio.run(run())
    assert tried.leg is None
    assert asked
    refused = [
        reason for reason in tried.rejects if "lacks what" in reason or "understood" in reason
    ]
    assert sum(tried.rejects[reason] for reason in refused) == len(asked)


def test_a_model_has_to_be_named():
    options = ["--variant", "dag", "--difficulty", "easy", "--planner", "llm"]
    result = CliRunner().invoke(command, options)
    assert result.exit_code == 2
    assert "need --model NAME" in result.output
