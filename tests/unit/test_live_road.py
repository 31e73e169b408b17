"""The live world's roads know whose each address is, also one that only the environment names."""

import asyncio
import os
import tempfile
import time
from dataclasses import fields
from itertools import chain
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
from waiting import Clock, metered

from pytest_aar.folders import sweep_once
from pytest_aar.gateway.live_road import Networks, directory_of, mannerly
from pytest_aar.manners.directory import Directory
from pytest_aar.manners.held_back import HeldBack
from pytest_aar.manners.limiter import Turns
from pytest_aar.manners.policies import DEFAULTS
from pytest_aar.manners.refusals import Refusals
from pytest_aar.manners.road import Manners, MannersRoad
from pytest_aar.settings import SERVICE_GROUPS, SERVICES, STAND_INS, Settings
from pytest_aar.tools import LIVE, PublicPages, Reach, Services, call
from pytest_aar.tools.outside import SECONDS_LEFT

WIKI = {"parse": {"title": "Lima", "text": "x"}}


@pytest.mark.parametrize("address", ["https://sx.test/search", " https://sx.test/ "])
def test_a_searxng_of_the_environment_has_its_own_limits_and_nothing_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("SEARXNG_URL", address)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    asked = []

    def reply(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        return httpx.Response(200, json=WIKI)

    network = httpx.MockTransport(reply)
    roads = Networks(services=network, pages=network)
    settings = Settings(limits={"searxng": "2/day"})

    async def over() -> None:
        with mannerly(roads, LIVE, settings, meeting=None) as polite:
            client = httpx.AsyncClient(transport=polite.services)
            for _ in range(2):
                await client.get("https://en.wikipedia.org/w/api.php?action=parse")
                await client.get("https://sx.test/search?q=lima")
            with metered(), pytest.raises(HeldBack, match=r"no turn for searxng \(2/day\)"):
                await client.get("https://sx.test/search?q=lima")

    asyncio.run(over())
    assert asked == ["/w/api.php", "/search", "/search"]


@pytest.mark.parametrize(
    "base", ["http://kiwix.test:81/x/content/wiki_en", "http://kiwix.test:81/x/wiki_en"]
)
def test_all_of_a_kiwix_server_is_the_encyclopedia(base: str) -> None:
    """Its list of titles is not below the book's address."""
    endpoints = LIVE.with_overrides({"wikipedia": f"kiwix+{base}"})
    directory = directory_of(endpoints, Settings())
    for url in (f"{base}/Lima", "http://kiwix.test:81/x/suggest?content=wiki_en&term=lima"):
        assert directory.place(httpx.URL(url)).service == "wikipedia"
    assert directory.place(httpx.URL("http://kiwix.test:81/y")).service == "pages"


def test_turns_do_not_use_up_the_time_of_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its host may be asked each 30 s, a page has 20 s: the targets of redirects have them still."""
    clock, left = Clock(), list[float]()
    monkeypatch.setattr("pytest_aar.tools.direct.time", SimpleNamespace(monotonic=clock))

    def reply(request: httpx.Request) -> httpx.Response:
        left.append(request.extensions[SECONDS_LEFT])
        clock.now += 3
        target = {"/a": "/b", "/b": "/c"}.get(request.url.path)
        headers = {"location": target} if target else {}
        return httpx.Response(302 if target else 200, headers=headers, text="x")

    manners = Manners(
        turns=Turns(tmp_path, clock=clock, sleep=clock.sleep),
        refusals=Refusals(tmp_path),
        pages=None,
    )
    find = Directory({}, {"pages": "1/30s"}).page
    road = MannersRoad(
        httpx.MockTransport(reply), manners, find=find, keeps=frozenset(), heeds=False
    )
    client = httpx.AsyncClient(transport=road)
    services = Services(http=client, pages=client, endpoints=LIVE, guard=PublicPages(reach=Reach()))
    with metered() as meter:
        result = asyncio.run(call("fetch_webpage", {"url": "https://x.example/a"}, services))
    assert (result.ok, result.text) == (True, "x")
    assert sum(meter.waited.values()) == pytest.approx(60)
    assert left == [pytest.approx(20), pytest.approx(17), pytest.approx(14)]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def files_after(
    temporary: Path, url: str, limits: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> tuple[set[str], set[str]]:
    """Names in the folder for temporary files while a run may ask, and when it has asked for `url`."""
    monkeypatch.setattr("pytest_aar.gateway.live_road.sweep_once", lambda: None)
    network = httpx.MockTransport(lambda _: httpx.Response(200, json=WIKI))
    endpoints = LIVE.with_overrides({"wikipedia": url})
    meeting = temporary / "aar-shared-x"

    def names() -> set[str]:
        return {str(path.relative_to(temporary)) for path in temporary.rglob("*.json")}

    async def over() -> tuple[set[str], set[str]]:
        roads = Networks(services=network, pages=network)
        with mannerly(roads, endpoints, Settings(limits=limits), meeting=meeting) as polite:
            before = {path.name for path in temporary.iterdir()}
            await httpx.AsyncClient(transport=polite.services).get(url)
            return before, names()

    return asyncio.run(over())


def test_nothing_is_written_before_a_service_is_asked_and_nothing_lasting_without_limits(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is replayed asks nobody; servers on this machine have no limits that other runs must know of."""
    url = "http://127.0.0.1:1234/w/api.php"
    before, after = files_after(temporary, url, {}, monkeypatch)
    assert before == set()
    assert {name.split("/")[0] for name in after} == {"aar-shared-x"}
    assert not list(temporary.glob("aar-turns-*"))


@pytest.mark.parametrize(
    ("url", "limits"),
    [
        ("http://127.0.0.1:1234/w/api.php", {"wikipedia": "9/s"}),
        ("https://en.wikipedia.org/w/api.php", {}),
        ("https://en.wikipedia.org/w/api.php", {"wikipedia": "off"}),
    ],
)
def test_what_other_runs_must_know_of_lies_where_they_look(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, url: str, limits: dict[str, str]
) -> None:
    _, after = files_after(temporary, url, limits, monkeypatch)
    after.remove("aar-shared-x/reached.json")  # of this run alone
    assert {name.split("/")[0].rstrip("0123456789") for name in after} == {"aar-turns-"}


def test_a_folder_that_a_run_meets_in_is_held_while_it_may_ask(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = httpx.MockTransport(lambda _: httpx.Response(200, json=WIKI))
    meeting = temporary / "aar-shared-x"

    def swept() -> bool:
        old = time.time() - 9_000
        os.utime(meeting, (old, old))
        sweep_once.cache_clear()
        sweep_once()
        return not meeting.exists()

    async def over() -> None:
        roads = Networks(services=network, pages=network)
        with mannerly(roads, LIVE, Settings(), meeting=meeting) as polite:
            client = httpx.AsyncClient(transport=polite.services)
            await client.get("https://en.wikipedia.org/w/api.php?action=parse")
            assert not swept()

    asyncio.run(over())
    assert swept()


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_whose_address_can_be_chosen_has_limits(name: str) -> None:
    """Those that one line of the option sets have the limits of that line's service."""
    at = "http://x.test"
    for each in LIVE.with_overrides({name: at}).own:
        limits = Directory({each: at}, {}).place(httpx.URL(f"{at}/a")).service
        assert limits in DEFAULTS
        assert limits == name or name not in SERVICE_GROUPS


def test_only_names_of_services_have_the_limits_of_another() -> None:
    at = "http://x.test"
    of_stocks = Directory({"stocks_second": at}, {}).place(httpx.URL(f"{at}/a"))
    assert of_stocks.service == "stocks"
    shared = {*chain(*SERVICE_GROUPS.values()), *STAND_INS, *STAND_INS.values()}
    assert shared <= {*SERVICES}
    assert {*SERVICES} - {*SERVICE_GROUPS} == {
        field.name for field in fields(LIVE) if field.type == "str" or field.type is str
    } - {"countries_source"}
