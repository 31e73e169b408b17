"""The embedded world: time and memory to load it, pages, and the answers of each service.

`python benchmarks/world.py`. Loading is measured in fresh processes, each beside one that only runs
`json.loads` on as much JSON as the world's index and pages unpack to (what one JSON file would cost).
"cold" is the first answer of its kind after loading, "warm" the median of different questions after it.
Processes of pytest-aar import the transport with httpx; that import is not counted.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
from timing import Measured, alternate, median, run

if TYPE_CHECKING:
    from pytest_aar.world import WorldTransport

PAGES = 300
LIMIT_LOAD, LIMIT_MB, LIMIT_PAGE, LIMIT_ANSWER = 0.5, 150, 2.0, 1.0

_NOTHING = "import httpx"
_LOAD = f"{_NOTHING}\nfrom pytest_aar.world import WorldTransport, load\nWorldTransport(load())"
_JSON = "import httpx, json, pathlib, sys\njson.loads(pathlib.Path(sys.argv[1]).read_bytes())"
# In a process of its own, too: a child's peak memory begins with its parent's size.
_WRITE_PEER = """
import json, pathlib, sys
from pytest_aar.world.archive import Archive
from pytest_aar.world.store import DATA_FILE
archive = Archive(DATA_FILE)
members = [archive[name] for name in ("index", "pages", "countries")]
size = sum(len(member.block(n)) for member in members for n in range(len(member)))
row = {"title": "Paris, France", "kind": "city", "location": [48.85661, 2.35222], "size": 2102650}
pathlib.Path(sys.argv[1]).write_text(json.dumps([row] * (size // len(json.dumps(row)))))
"""

Question = tuple[str, str, dict[str, object]]


def questions(cities: list[str]) -> dict[str, list[Question]]:
    """Different questions to each service: method, URL, and the request's other parts."""

    def get(url: str, values: list[dict[str, str]]) -> list[Question]:
        return [("GET", url, {"params": value}) for value in values]

    points = [(10.0 + n / 7, -60.0 + n) for n in range(100)]
    days = [f"2019-{1 + n % 12:02}-{1 + n % 28:02}" for n in range(100)]
    countries = ["Norway", "Peru", "Japan", "Kenya", "Canada", "Italy", "India", "Chad"]
    return {
        "page": [
            ("GET", f"https://wiki.aar.test/wiki/{city.replace(' ', '_')}", {}) for city in cities
        ],
        "search": [
            ("POST", "https://search.aar.test/search", {"json": {"q": f"{city} airport"}})
            for city in cities[:100]
        ],
        "geocode": get(
            "https://maps.aar.test/maps/api/geocode/json", [{"address": city} for city in cities]
        ),
        "elevation": get(
            "https://maps.aar.test/maps/api/elevation/json",
            [{"locations": f"{latitude},{longitude}"} for latitude, longitude in points],
        ),
        "weather": get(
            "https://weather.aar.test/v1/archive",
            [
                {
                    "latitude": str(latitude),
                    "longitude": str(longitude),
                    "start_date": day,
                    "end_date": day,
                    "daily": "temperature_2m_max,precipitation_sum",
                }
                for (latitude, longitude), day in zip(points, days, strict=True)
            ],
        ),
        "countries": [
            ("GET", f"https://countries.aar.test/countries/v5/names.common/{name}", {})
            for name in countries
        ],
        "stocks": get(
            "https://stocks.aar.test/v8/finance/chart/AAPL",
            [
                {"period1": str(start), "period2": str(start + 86400), "interval": "1d"}
                for start in range(1_577_923_200, 1_577_923_200 + 100 * 86400, 86400)
            ],
        ),
        "crypto": get(
            "https://crypto.aar.test/api/v3/klines",
            [
                {"symbol": "BTCUSDT", "interval": "1d", "startTime": str(start), "limit": "1"}
                for start in range(1_577_923_200_000, 1_586_563_200_000, 86_400_000)
            ],
        ),
    }


async def timed(transport: "WorldTransport", question: Question) -> float:
    """Milliseconds of one answer."""
    method, url, parts = question
    request = httpx.Request(method, url, **parts)  # type: ignore[arg-type]
    started = time.perf_counter()
    reply = await transport.handle_async_request(request)
    took = 1000 * (time.perf_counter() - started)
    if reply.status_code >= 500:
        sys.exit(
            f"{method} {request.url} was answered with {reply.status_code}: {reply.text[:300]}"
        )
    return took


async def answers() -> None:
    from pytest_aar.world import WorldTransport, load  # noqa: PLC0415 - after the children: see _WRITE_PEER

    world = load()
    cities = list(world.pages("city"))
    transport = WorldTransport(world)
    for service, asked in questions(cities[:: len(cities) // PAGES][:PAGES]).items():
        cold, *warm = [await timed(transport, question) for question in asked]
        limit = LIMIT_PAGE if service == "page" else LIMIT_ANSWER
        print(
            f"{service:10} cold {cold:6.2f} ms, warm {statistics.median(warm):5.2f} ms, "
            f"slowest {max(warm):6.2f} ms (target: {limit:.0f} ms warm)"
        )


def python(code: str, *arguments: str) -> Measured:
    return run([sys.executable, "-c", code, *arguments])


def loading() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        peer = Path(scratch) / "peer.json"
        python(_WRITE_PEER, str(peer))
        ours, theirs, nothing = alternate(
            7, lambda: python(_LOAD), lambda: python(_JSON, str(peer)), lambda: python(_NOTHING)
        )
    bare = median(nothing, "wall")
    for name, measured in (("load the world", ours), ("json.loads of the same size", theirs)):
        print(
            f"{name}: {median(measured, 'wall') - bare:.3f} s, peak of the process "
            f"{median(measured, 'peak_mb'):.0f} MB"
        )
    print(
        f"(targets: {LIMIT_LOAD} s, {LIMIT_MB} MB; an empty process: {median(nothing, 'peak_mb'):.0f} MB)"
    )


if __name__ == "__main__":
    loading()
    asyncio.run(answers())
