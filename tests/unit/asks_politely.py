"""A process of a test: so many requests at once through manners; prints what it waited for.

python asks_politely.py FOLDER URL LIMITS REQUESTS
"""

import asyncio
import json
import sys
from pathlib import Path

import httpx

from pytest_aar.manners.directory import Directory
from pytest_aar.manners.limiter import Turns
from pytest_aar.manners.meter import METER, Meter
from pytest_aar.manners.refusals import Refusals
from pytest_aar.manners.road import Manners, MannersRoad


async def main(folder: Path, url: str, limits: str, requests: int) -> None:
    manners = Manners(turns=Turns(folder), refusals=Refusals(folder), pages=None)
    find = Directory({"countries": url}, {"countries": limits}).place
    road = MannersRoad(httpx.AsyncHTTPTransport(), manners, find=find, keeps=frozenset())
    meter = Meter()
    METER.set(meter)
    print("ready", flush=True)
    async with httpx.AsyncClient(transport=road) as client:
        replies = await asyncio.gather(*(client.get(url) for _ in range(requests)))
    manners.close()
    print(json.dumps({"statuses": [reply.status_code for reply in replies], **meter.waited}))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])))
