"""A replay asks the services that were recorded, with no key and whatever keys are set."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from pytest_aar.cassettes import Tape, TapeOptions, TapeTransport, open_tape
from pytest_aar.gateway.country_book import country_book
from pytest_aar.gateway.replay_keys import replayed
from pytest_aar.gateway.zim_world import zim_services
from pytest_aar.settings import Settings, ZimChoice
from pytest_aar.tools import LIVE, Services, ToolResult, call

FOUND = {
    "organic": [],
    "results": [],
    "web": {"results": []},
    "status": "ZERO_RESULTS",
    "data": {"objects": [{"names": {"common": "Peru"}, "area": {"kilometers": 7}}]},
}
SEARCH = ("web_search", {"query": "x"})
#: keys at the recording, tool with arguments, keys at the replay
CASES = [
    ({"SERPER_API_KEY": "s"}, SEARCH, {}),
    ({"TAVILY_API_KEY": "t"}, SEARCH, {"SERPER_API_KEY": "s"}),
    ({"BRAVE_API_KEY": "b"}, SEARCH, {"TAVILY_API_KEY": "t"}),
    ({"SEARXNG_URL": "https://searx.test/x"}, SEARCH, {"SERPER_API_KEY": "s"}),
    ({}, SEARCH, {"SERPER_API_KEY": "s"}),
    ({"GOOGLE_API_KEY": "g"}, ("maps_geocode", {"address": "Lima"}), {}),
    ({"RESTCOUNTRIES_API_KEY": "r"}, ("countries_area", {"country": "Peru"}), {}),
    ({}, ("countries_area", {"country": "Peru"}), {"RESTCOUNTRIES_API_KEY": "r"}),
]


#: The same in the world of a ZIM file, which is searched where no search service is set.
ZIM_CASES = [
    ({}, {}, {"SERPER_API_KEY": "s"}, {}),
    ({}, {}, {"TAVILY_API_KEY": "t", "SEARXNG_URL": "https://searx.test/x"}, {}),
    ({}, {}, {}, {"searxng": "https://searx.test/x"}),
    ({"SERPER_API_KEY": "s"}, {}, {}, {}),
    ({"BRAVE_API_KEY": "b"}, {}, {"SERPER_API_KEY": "s"}, {}),
    ({"TAVILY_API_KEY": "t"}, {}, {}, {}),
    ({"SEARXNG_URL": "https://searx.test/x"}, {}, {}, {}),
]


def live(keys: dict[str, str]) -> Callable[[httpx.AsyncClient], Services]:
    return lambda http: Services(http=http, endpoints=LIVE, keys=keys, country_book=country_book)


def over_zim(keys: dict[str, str], own: dict[str, str]) -> Callable[[httpx.AsyncClient], Services]:
    settings, choice = Settings(services=own), ZimChoice(path=Path("w.zim"), with_sandbox=False)

    def found(http: httpx.AsyncClient) -> Services:
        services = live(keys)(http)
        endpoints = services.endpoints.with_overrides(own)
        return zim_services(choice, settings, replace(services, endpoints=endpoints))

    return found


def answered(
    tape: Tape,
    services: Callable[[httpx.AsyncClient], Services],
    asked: tuple[str, dict[str, Any]],
) -> ToolResult:
    async def over() -> ToolResult:
        network = httpx.MockTransport(lambda _: httpx.Response(200, json=FOUND))
        async with httpx.AsyncClient(transport=TapeTransport(network, tape=tape)) as http:
            return await call(*asked, replayed(services(http), tape))

    return asyncio.run(over())


def check_replay(
    folder: Path,
    then: Callable[[httpx.AsyncClient], Services],
    now: Callable[[httpx.AsyncClient], Services],
    asked: tuple[str, dict[str, Any]],
) -> ToolResult:
    path, options = folder / "tools.json", TapeOptions(kind="tools")
    tape = open_tape(path, mode="extend", options=options)
    recorded = answered(tape, then, asked)
    tape.save()
    tape.close()
    tape = open_tape(path, mode="none", options=options)
    assert answered(tape, now, asked) == recorded
    assert tape.misses == ()
    return recorded


@pytest.mark.parametrize(("then", "asked", "now"), CASES)
def test_the_service_of_the_recording_answers(
    tmp_path: Path, then: dict[str, str], asked: tuple[str, dict[str, Any]], now: dict[str, str]
) -> None:
    check_replay(tmp_path, live(then), live(now), asked)


@pytest.mark.parametrize(("then", "own_then", "now", "own_now"), ZIM_CASES)
def test_the_search_of_the_recording_answers_in_the_world_of_a_zim_file(
    tmp_path: Path,
    then: dict[str, str],
    own_then: dict[str, str],
    now: dict[str, str],
    own_now: dict[str, str],
) -> None:
    recorded = check_replay(tmp_path, over_zim(then, own_then), over_zim(now, own_now), SEARCH)
    assert recorded.ok
