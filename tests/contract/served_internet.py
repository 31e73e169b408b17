"""The live services led to an internet in this process."""

import asyncio

import httpx
from fake_internet import KEYS, Served

from pytest_aar.tools import LIVE, Services, SubprocessRunner


def over(internet, talk):
    """What `talk` gives, with the live services led to the internet, in this process."""

    async def run():
        road = httpx.ASGITransport(app=internet)
        endpoints = LIVE.with_overrides(Served(internet=internet, url="http://fake.test").overrides)
        async with httpx.AsyncClient(transport=road) as client:
            return await talk(
                Services(http=client, endpoints=endpoints, keys=KEYS, python=SubprocessRunner())
            )

    return asyncio.run(run())
