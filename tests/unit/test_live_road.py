"""The live world's roads know whose each address is, also one that only the environment names."""

import asyncio
import tempfile
from pathlib import Path

import httpx
import pytest
from test_manners_limits import metered

from pytest_aar.gateway.live_road import Networks, mannerly
from pytest_aar.manners.held_back import HeldBack
from pytest_aar.settings import Settings
from pytest_aar.tools import LIVE

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
