import asyncio

import httpx
import pytest

from pytest_aar.errors import ConfigurationError
from pytest_aar.gateway.worlds import open_world
from pytest_aar.settings import Settings
from pytest_aar.tools import LIVE, SANDBOX, call
from pytest_aar.tools.service_keys import keys_from

SILENT = httpx.MockTransport(lambda request: httpx.Response(503, headers={"retry-after": "0"}))


def test_the_live_world_takes_settings_and_retries() -> None:
    settings = Settings(contact="me@example.org", services={"weather": "https://mirror.test/"})

    async def over() -> None:
        async with open_world("live", settings, transport=SILENT) as world:
            services = world.services
            assert world.world_hash is None
            assert services.endpoints.weather_archive == "https://mirror.test"
            assert services.endpoints.crypto == LIVE.crypto
            assert services.contact == "me@example.org"
            assert services.attempts > 1

    asyncio.run(over())


@pytest.mark.parametrize("name", ["sandbox", "live"])
@pytest.mark.parametrize(("on", "ok"), [(True, True), (False, False)])
def test_running_python_can_be_turned_off(name: str, on: bool, ok: bool) -> None:
    async def over() -> None:
        async with open_world(name, Settings(python_tool=on), transport=SILENT) as world:
            result = await call("python_execute_code", {"code": "print(3)"}, world.services)
            assert result.ok is ok
            assert ok or (result.error_kind, "aar_python_tool=off" in result.text) == (
                "denied",
                True,
            )

    asyncio.run(over())


def test_a_world_that_is_none_names_the_valid_ones() -> None:
    async def over() -> None:
        async with open_world("mars", Settings()):
            pass

    with pytest.raises(ConfigurationError, match=r"no world 'mars'; valid: sandbox, live"):
        asyncio.run(over())


def test_a_service_that_is_none_names_the_valid_ones() -> None:
    with pytest.raises(ConfigurationError, match=r"'mapz' is no service; valid: wikipedia, .*maps"):
        LIVE.with_overrides({"mapz": "https://x.test"})


def test_overrides_reach_every_part_of_a_group() -> None:
    changed = SANDBOX.with_overrides(
        {"maps": "https://m.test/", "wikipedia": "https://w.test/api.php"}
    )
    assert changed.geocoding == changed.places == changed.routes == "https://m.test"
    assert changed.wikipedia == "https://w.test/api.php"


def test_a_service_of_ones_own_is_asked_alone() -> None:
    """A name of one service counts before that of its group, whichever comes first."""
    own = {"places": "https://p.test", "maps": "https://m.test", "stocks": "https://s.test"}
    changed = LIVE.with_overrides(own)
    assert (changed.places, changed.routes) == ("https://p.test", "https://m.test")
    assert (changed.stocks, changed.stocks_second) == ("https://s.test", "")
    assert (changed.coingecko, changed.world_bank) == (LIVE.coingecko, LIVE.world_bank)
    both = LIVE.with_overrides({"stocks_second": "https://b.test", "stocks": "https://a.test"})
    assert (both.stocks, both.stocks_second) == ("https://a.test", "https://b.test")
    assert LIVE.own == frozenset()
    assert changed.own == {"geocoding", "places", "routes", "stocks"}


def test_the_live_world_knows_countries_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RESTCOUNTRIES_API_KEY", raising=False)

    async def over() -> None:
        async with open_world("live", Settings(), transport=SILENT) as world:
            found = await call("countries_area", {"country": "Peru"}, world.services)
            assert (found.ok, '"area_km2": 1285216' in found.text) == (True, True)

    asyncio.run(over())


@pytest.mark.parametrize(
    ("environment", "keys"),
    [
        ({}, {}),
        ({"GOOGLE_MAPS_API_KEY": "m", "OTHER": "x"}, {"GOOGLE_API_KEY": "m"}),
        ({"GOOGLE_MAPS_API_KEY": "m", "GOOGLE_API_KEY": "g"}, {"GOOGLE_API_KEY": "g"}),
        ({"SERPER_API_KEY": "s", "RESTCOUNTRIES_API_KEY": ""}, {"SERPER_API_KEY": "s"}),
        (
            {"TAVILY_API_KEY": " t\n", "BRAVE_API_KEY": "b"},
            {"TAVILY_API_KEY": "t", "BRAVE_API_KEY": "b"},
        ),
        ({"COINGECKO_API_KEY": "c", "SEARXNG_URL": ""}, {"COINGECKO_API_KEY": "c"}),
        ({"SEARXNG_URL": " https://x.test "}, {"SEARXNG_URL": "https://x.test"}),
    ],
)
def test_keys_come_from_the_environment(environment: dict[str, str], keys: dict[str, str]) -> None:
    assert keys_from(environment) == keys


def test_the_sandbox_knows_its_hash_and_blocks_other_hosts() -> None:
    async def over() -> None:
        async with open_world("sandbox", Settings()) as world:
            assert len(world.world_hash or "") >= 12
            for url in (
                "https://en.wikipedia.org/wiki/Peru",
                "http://127.0.0.1:9/",
                "https://pypi.org/",
            ):
                result = await call("fetch_webpage", {"url": url}, world.services)
                assert result.error_kind == "blocked", result.text

    asyncio.run(over())
