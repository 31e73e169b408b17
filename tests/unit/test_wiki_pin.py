"""`--aar-wiki-at`: the option, the time of each leg, what races and recordings know of it."""

import asyncio
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from little_world import LEG, envelope, post

from pytest_aar.cassettes import Tape, TapeTransport
from pytest_aar.errors import ConfigurationError
from pytest_aar.gateway import Gateway, RaceOrder
from pytest_aar.gateway.wiki_pin import wiki_at
from pytest_aar.gateway.worlds import open_world
from pytest_aar.leg import Leg
from pytest_aar.option_values import Given
from pytest_aar.options import settings_from
from pytest_aar.race.records import Entrant
from pytest_aar.race.tapes import open_tapes
from pytest_aar.settings import Settings
from pytest_aar.tools import LIVE, Services, ToolResult, call

MADE = replace(
    LEG, generated_at="2026-03-20T02:07:11.302463+00:00", seed_url="https://en.wikipedia.org/wiki/A"
)
GENERATED = Settings(wiki_at="generated", world="live")


def option(text: str) -> str | None:
    given = Given(text=text, source="--aar-wiki-at", folder=Path())
    return settings_from({"wiki-at": (given,)}).wiki_at


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("generated", "generated"),
        ("2026-03-20", "2026-03-20T23:59:59Z"),
        ("2026-03-20T12:00:00Z", "2026-03-20T12:00:00Z"),
        ("2026-03-20T12:00:00+02:00", "2026-03-20T10:00:00Z"),
        (" 2026-03-20T12:00 ", "2026-03-20T12:00:00Z"),
    ],
)
def test_the_option_takes_a_word_a_day_or_a_time(text: str, time: str) -> None:
    assert option(text) == time


@pytest.mark.parametrize("text", ["today", "20 March", "2026-13-01", "2026-02-30", ""])
def test_anything_else_is_refused_with_what_is_valid(text: str) -> None:
    with pytest.raises(
        ConfigurationError, match=r"valid: generated, a day \(2026-03-20\), or a time"
    ):
        option(text)


def test_generated_is_each_legs_own_time() -> None:
    assert wiki_at(GENERATED, MADE, "live") == "2026-03-20T02:07:11Z"
    later = replace(MADE, generated_at="2026-04-01T00:00:00")
    assert wiki_at(GENERATED, later, "live") == "2026-04-01T00:00:00Z"
    assert (
        wiki_at(Settings(wiki_at="2026-01-01T00:00:00Z"), later, "live") == "2026-01-01T00:00:00Z"
    )


def test_worlds_without_revisions_have_no_time() -> None:
    assert wiki_at(GENERATED, MADE, "sandbox") is None
    assert wiki_at(GENERATED, MADE, "zim:/a.zim") is None
    assert wiki_at(Settings(), MADE, "live") is None


def test_a_leg_without_a_time_says_so() -> None:
    with pytest.raises(
        ConfigurationError, match="little/one says generated_at '', which is no time"
    ):
        wiki_at(GENERATED, LEG, "live")


def test_a_kiwix_server_can_not_be_pinned() -> None:
    settings = replace(GENERATED, services={"wikipedia": "kiwix+http://k.test/content/b"})
    with pytest.raises(ConfigurationError, match="has one revision of each page"):
        wiki_at(settings, MADE, "live")


def stale_after(settings: Settings, tmp_path: Path, world: str) -> tuple[str, ...]:
    """Record with these settings, replay without a pin."""
    kept = replace(settings, record="all", cassettes=tmp_path)
    entrant = Entrant(agent="react", model="m", world=world)
    tapes = open_tapes(kept, MADE, entrant, prompt="p", workdir=tmp_path, again=False)
    for tape in filter(None, (tapes.model, tapes.tools)):
        asyncio.run(recorded(tape))
    tapes.save()
    tapes.close()
    again = replace(kept, record="none", wiki_at=None)
    replayed = open_tapes(again, MADE, entrant, prompt="p", workdir=tmp_path, again=False)
    replayed.close()
    return replayed.stale


async def recorded(tape: Tape) -> None:
    network = httpx.MockTransport(lambda _: httpx.Response(200, text="x"))
    async with httpx.AsyncClient(transport=TapeTransport(network, tape=tape)) as client:
        await client.get("https://x.test/")


@pytest.mark.parametrize(
    ("settings", "world", "stale"),
    [
        (GENERATED, "live", ("wiki_at: recorded 2026-03-20T02:07:11Z, now latest",)),
        (replace(GENERATED, wiki_at=None), "live", ()),
        (GENERATED, "sandbox", ()),
    ],
)
def test_a_recording_of_another_time_is_stale_and_says_which(
    settings: Settings, world: str, stale: tuple[str, ...], tmp_path: Path
) -> None:
    assert stale_after(settings, tmp_path, world) == stale


def raced(leg: Leg, gate: Gateway) -> httpx.Response:
    with gate.open_race(RaceOrder(leg=leg, envelope=envelope(leg))) as race:
        return post(
            race, gate, "tools/fetch_webpage", json={"url": "https://en.wikipedia.org/wiki/A"}
        )


def test_each_race_of_a_run_reads_the_time_of_its_own_leg(tmp_path: Path) -> None:
    asked: list[str] = []

    def wiki(request: httpx.Request) -> httpx.Response:
        if request.url.params["action"] == "query":
            asked.append(request.url.params["rvstart"])
            revisions = [{"revid": len(asked), "timestamp": "2026-01-01T00:00:00Z"}]
            return httpx.Response(
                200, json={"query": {"pages": [{"title": "A", "revisions": revisions}]}}
            )
        return httpx.Response(
            200, json={"parse": {"title": "A", "text": request.url.params["oldid"]}}
        )

    def opener(name: str, settings: Settings, **_: object) -> object:
        return open_world(name, settings, transport=httpx.MockTransport(wiki))

    with Gateway(GENERATED, open_world=opener) as gate:
        first = raced(MADE, gate)
        second = raced(replace(MADE, generated_at="2025-01-02T03:04:05Z"), gate)
    assert asked == ["2026-03-20T02:07:11Z", "2025-01-02T03:04:05Z"]
    assert "Revision: 1 of 2026-01-01T00:00:00Z" in first.text
    assert (
        "Revision: 2 of 2026-01-01T00:00:00Z, the current one at 2025-01-02T03:04:05Z"
        in second.text
    )


def test_a_title_that_would_be_two_is_asked_for_by_none() -> None:
    def asked(request: httpx.Request) -> httpx.Response:
        raise AssertionError(f"this went out: {request.url}")

    async def pinned() -> ToolResult:
        async with httpx.AsyncClient(transport=httpx.MockTransport(asked)) as client:
            services = Services(http=client, endpoints=LIVE, wiki_at="2026-03-20T00:00:00Z")
            url = "https://en.wikipedia.org/wiki/Lima%7CQuito"
            return await call("fetch_webpage", {"url": url}, services)

    result = asyncio.run(pinned())
    assert result.error_kind == "bad_arguments"
    assert "no title holds '|'; look for the right title with web_search" in result.text
