"""The live world's roads know whose each address is, also one that only the environment names."""

import asyncio
import tempfile
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
from test_manners_limits import Clock, metered

from pytest_aar.gateway.live_road import Networks, mannerly
from pytest_aar.manners.directory import Directory
from pytest_aar.manners.held_back import HeldBack
from pytest_aar.manners.limiter import Turns
from pytest_aar.manners.refusals import Refusals
from pytest_aar.manners.road import Manners, MannersRoad
from pytest_aar.settings import Settings
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
