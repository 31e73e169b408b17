"""A replay asks the services that were recorded, with no key and whatever keys are set."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from pytest_aar.cassettes import Tape, TapeOptions, TapeTransport, open_tape
from pytest_aar.gateway.country_book import country_book
from pytest_aar.gateway.replay_keys import replayed
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


def answered(tape: Tape, keys: dict[str, str], asked: tuple[str, dict[str, Any]]) -> ToolResult:
    async def over() -> ToolResult:
        network = httpx.MockTransport(lambda _: httpx.Response(200, json=FOUND))
        async with httpx.AsyncClient(transport=TapeTransport(network, tape=tape)) as http:
            services = Services(http=http, endpoints=LIVE, keys=keys, country_book=country_book)
            return await call(*asked, replayed(services, tape))

    return asyncio.run(over())


@pytest.mark.parametrize(("then", "asked", "now"), CASES)
def test_the_service_of_the_recording_answers(
    tmp_path: Path, then: dict[str, str], asked: tuple[str, dict[str, Any]], now: dict[str, str]
) -> None:
    path, options = tmp_path / "tools.json", TapeOptions(kind="tools")
    tape = open_tape(path, mode="extend", options=options)
    recorded = answered(tape, then, asked)
    tape.save()
    tape.close()
    tape = open_tape(path, mode="none", options=options)
    assert answered(tape, now, asked) == recorded
    assert tape.misses == ()
