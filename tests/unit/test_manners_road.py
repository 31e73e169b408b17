"""What happens on the road to a service: pages kept, refusals heeded, failures told."""

import asyncio
import gzip
import json
import os
import socket
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import httpx
import pytest
import stamina
from waiting import Clock, metered

from pytest_aar.manners.book import OUTAGE, Book
from pytest_aar.manners.directory import Directory
from pytest_aar.manners.held_back import HeldBack
from pytest_aar.manners.limiter import Turns
from pytest_aar.manners.meter import LONGEST_WAIT
from pytest_aar.manners.page_cache import PageCache
from pytest_aar.manners.policies import DEFAULTS, Policy, names, parse, policy_of, table
from pytest_aar.manners.probes import probe_of
from pytest_aar.manners.refusals import Refusals, Refused
from pytest_aar.manners.road import TOO_LATE, Manners, MannersRoad
from pytest_aar.manners.signs import UNSENT
from pytest_aar.manners.verdicts import verdict_on
from pytest_aar.manners.weight import WEIGHT, weight_of
from pytest_aar.tools import LIVE, Services, TransportDecides, call
from pytest_aar.tools.unreachable import Asked

BASES = {"wikipedia": "https://{language}.wikipedia.org/w/api.php", "places": "http://127.0.0.1:1"}
DIRECT = {"geocoding": "https://maps.googleapis.com"}
PAGE = "https://en.wikipedia.org/w/api.php?action=parse&page=Lima"
KEYED = "https://maps.googleapis.com/maps/api/geocode/json"
PARSED = {"parse": {"title": "Lima", "text": "x"}}


class Network:
    """Answers with what `reply` gives; counts."""

    def __init__(self, reply: Callable[[httpx.Request], httpx.Response]) -> None:
        self.asked: list[str] = []
        self._reply = reply

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(str(request.url))
        return self._reply(request)


def says(status: int = 200, **options: object) -> Callable[[httpx.Request], httpx.Response]:
    return lambda _: httpx.Response(status, **options)  # type: ignore[arg-type]


def road(
    folder: Path, network: Network, *, limits: dict[str, str] | None = None, **options: object
) -> MannersRoad:
    clock = Clock()
    manners = Manners(
        turns=Turns(folder / "turns", clock=clock, sleep=clock.sleep),
        refusals=Refusals(folder),
        pages=PageCache(folder / "pages", clock=clock, sleep=clock.sleep),
    )
    directory = Directory(BASES, limits or {}, contact="me@example.org")
    settings = {"find": directory.place, "keeps": frozenset({"wikipedia"}), **options}
    return MannersRoad(httpx.MockTransport(network), manners, **settings)  # type: ignore[arg-type]


def get(one: MannersRoad, *urls: str) -> list[httpx.Response]:
    async def all_of_them() -> list[httpx.Response]:
        client = httpx.AsyncClient(transport=one)
        return await asyncio.gather(*(client.get(url) for url in urls))

    return asyncio.run(all_of_them())


def test_a_page_is_asked_for_once_also_by_several_at_once(tmp_path: Path) -> None:
    network = Network(says(json=PARSED))
    replies = get(road(tmp_path, network), PAGE, PAGE, PAGE, f"{PAGE}&x=1")
    replies += get(road(tmp_path, network), PAGE)  # another worker of the run
    assert [reply.json() for reply in replies] == [PARSED] * 5
    assert network.asked == [PAGE, f"{PAGE}&x=1"]


def test_packed_pages_come_back_as_they_came(tmp_path: Path) -> None:
    headers = {"content-type": "application/json", "content-encoding": "gzip", "set-cookie": "a=b"}
    network = Network(says(headers=headers, content=gzip.compress(json.dumps(PARSED).encode())))
    first, second = get(road(tmp_path, network), PAGE), get(road(tmp_path, network), PAGE)
    assert first[0].json() == second[0].json() == PARSED
    assert "set-cookie" not in second[0].headers
    assert len(network.asked) == 1


WHOLE = json.dumps({"parse": {"title": "Lima", "text": "x" * 9000}})


@pytest.mark.parametrize(
    ("url", "status", "body", "kept"),
    [
        ("https://x.example/a", 404, '{"no": "page"}', True),
        ("https://x.example/a", 200, "<p>a page</p>", True),
        ("https://x.example/a", 503, "<p>down</p>", False),
        (PAGE, 200, WHOLE, True),
        (PAGE, 200, '{"batchcomplete": true, "query": {"pages": []}}', True),
        (PAGE, 200, '{"error": {"code": "missingtitle", "info": "no page"}}', True),
        (PAGE, 200, '{"error": {"code": "ratelimited", "info": "later"}}', False),
        (PAGE, 200, '{"error": {"code": "internal_api_error_DBQueryError"}}', False),
        (PAGE, 200, '{"error": "closed"}', False),
        (PAGE, 200, '{"error": {"code": ["missingtitle"]}}', False),
        (PAGE, 200, WHOLE[:-2], False),
        (PAGE, 200, "{}", False),
        (PAGE, 200, '["parse"]', False),
        (PAGE, 200, "<html>Sign in to this network</html>", False),
        (PAGE, 404, '{"no": "page"}', False),
        (PAGE, 503, "{}", False),
        (PAGE, 302, "{}", False),
    ],
)
def test_what_is_kept_stays_true_for_a_run(
    tmp_path: Path, url: str, status: int, body: str, *, kept: bool
) -> None:
    kind = "text/html" if body.startswith("<") else "application/json"
    network = Network(says(status, headers={"content-type": kind}, text=body))
    one = road(
        tmp_path, network, find=Directory(BASES, {}).page, keeps=frozenset({"wikipedia", "pages"})
    )
    get(one, url)
    get(one, url)
    assert len(network.asked) == (1 if kept else 2)


@pytest.mark.parametrize(("first_takes", "bound"), [(2, 2), (10 * LONGEST_WAIT, LONGEST_WAIT)])
def test_who_waits_for_anothers_page_does_not_wait_on_and_on(
    tmp_path: Path, first_takes: float, bound: float
) -> None:
    """The first one fails, or has no end: the others ask at once then, not one after another."""
    clock, begun = Clock(), list[float]()

    async def passes(seconds: float) -> None:
        clock.now += seconds / 4  # each of the four who wait moves it on
        await asyncio.sleep(0)

    async def ask() -> httpx.Response:
        begun.append(clock.now)
        while len(begun) == 1 and clock.now < 1000 + first_takes:
            await asyncio.sleep(0)
        return httpx.Response(503, stream=httpx.ByteStream(b""))

    async def read() -> float:
        with metered() as meter:
            await PageCache(tmp_path, clock=clock, sleep=passes).page(httpx.URL(PAGE), ask)
        return sum(meter.waited.values())

    async def all_of_them() -> list[float]:
        first = asyncio.create_task(read())
        waited = await asyncio.gather(*(read() for _ in range(4)))
        first.cancel()
        return waited

    waited = asyncio.run(all_of_them())
    assert begun == [1000, *[pytest.approx(1000 + bound, abs=0.2)] * 4]
    assert waited == [pytest.approx(bound, abs=0.2)] * 4


def test_who_has_waited_for_a_turn_waits_the_less_for_anothers_page(tmp_path: Path) -> None:
    clock = Clock()

    async def never() -> httpx.Response:
        await asyncio.sleep(3600)
        raise AssertionError

    async def gives() -> httpx.Response:
        return httpx.Response(200, stream=httpx.ByteStream(b"x"))

    async def passes(seconds: float) -> None:
        clock.now += seconds
        await asyncio.sleep(0)

    async def both() -> None:
        first = asyncio.create_task(PageCache(tmp_path).page(httpx.URL("https://x.test/"), never))
        await asyncio.sleep(0)
        pages = PageCache(tmp_path, clock=clock, sleep=passes)
        await pages.page(httpx.URL("https://x.test/"), gives)
        first.cancel()

    began = clock.now
    with metered() as meter:
        meter.wait("wikipedia", 100)
        asyncio.run(both())
    assert clock.now - began == pytest.approx(LONGEST_WAIT - 100, abs=0.1)


def test_only_pages_are_kept(tmp_path: Path) -> None:
    network = Network(says(json=PARSED))
    one = road(tmp_path, network)
    get(one, KEYED, KEYED)
    assert len(network.asked) == 2
    posted = asyncio.run(httpx.AsyncClient(transport=one).post(PAGE))
    asyncio.run(httpx.AsyncClient(transport=one).post(PAGE))
    assert posted.json() == PARSED
    assert len(network.asked) == 4


def test_the_oldest_pages_give_way(tmp_path: Path) -> None:
    folder = tmp_path / "pages"

    async def page(number: int, size: int = 400) -> None:
        async def ask() -> httpx.Response:
            return httpx.Response(200, stream=httpx.ByteStream(b"x" * size))

        await PageCache(folder, most_bytes=1000).page(httpx.URL(f"https://x.test/{number}"), ask)

    for number in range(4):
        asyncio.run(page(number))
    asyncio.run(page(9, size=2000))  # larger than all of the room
    kept = [path for path in folder.iterdir() if not path.suffix]
    assert len(kept) == 2


def test_workers_share_the_room_and_seldom_look_how_much_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[Path] = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda folder: looks.append(folder) or scandir(folder))
    workers = [PageCache(tmp_path, most_bytes=30_000) for _ in range(4)]

    async def ask() -> httpx.Response:
        return httpx.Response(200, stream=httpx.ByteStream(b"x" * 80))

    async def race() -> None:
        for number in range(600):
            page = await workers[number % 4].page(httpx.URL(f"https://x.test/{number}"), ask)
            assert page.status_code == 200

    asyncio.run(race())
    kept = [entry.stat().st_size for entry in scandir(tmp_path) if "." not in entry.name]
    assert 24_000 < sum(kept) <= 30_000
    assert len(looks) < 200  # of 600 pages


def test_a_page_whose_asker_fails_is_asked_for_by_the_next(tmp_path: Path) -> None:
    def fails_first(_: httpx.Request) -> httpx.Response:
        if len(network.asked) == 1:
            raise httpx.ReadTimeout("late")
        return httpx.Response(200, json=PARSED)

    network = Network(fails_first)
    one = road(tmp_path, network)
    with pytest.raises(httpx.ReadTimeout):
        get(one, PAGE)
    assert get(one, PAGE)[0].json() == PARSED


DENIED = {"status": "REQUEST_DENIED", "error_message": "You must enable Billing"}


def test_a_refusal_is_heeded_by_all_workers_and_told(tmp_path: Path) -> None:
    network = Network(says(json=DENIED))
    get(road(tmp_path, network), KEYED)
    with metered() as meter:
        again = get(road(tmp_path, network), f"{KEYED}?address=x")
    assert again[0].json() == DENIED
    assert network.asked == [KEYED]
    assert meter.refusal == (
        "access denied by maps (key in GOOGLE_API_KEY), HTTP 200: You must enable Billing; check the key, its "
        "billing, and that it opens this API"
    )
    # Another API of the same key is asked: it may be enabled.
    get(road(tmp_path, network), KEYED.replace("geocode", "elevation"))
    assert network.asked[1:] == [KEYED.replace("geocode", "elevation")]


@pytest.mark.parametrize(
    ("probed", "trouble"),
    [
        (httpx.Response(200, json={"status": "OK"}), ""),
        (httpx.Response(200, json={"status": "ZERO_RESULTS"}), ""),
        (httpx.Response(404), "access denied by maps (key in GOOGLE_API_KEY), HTTP 403: no attacks"),
        (httpx.ReadError("x"), "access denied by maps (key in GOOGLE_API_KEY), HTTP 403: no attacks"),
    ],
)  # fmt: skip
def test_what_refuses_one_request_refuses_nobody_else(
    tmp_path: Path, probed: httpx.Response | Exception, trouble: str
) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if "address=odd" in str(request.url):
            return httpx.Response(403, text="no attacks")
        if isinstance(probed, Exception):
            raise probed
        return probed

    network = Network(answer)
    one = road(tmp_path, network)
    with metered() as meter:
        assert get(one, f"{KEYED}?address=odd&key=k")[0].status_code == 403
    assert network.asked[1:] == [f"{KEYED}?address=Paris&key=k"]
    assert meter.outage.startswith(trouble)
    assert bool(meter.outage) is bool(trouble)
    assert meter.refusal == ""
    assert one._manners.refusals.of("https://maps.googleapis.com/maps/api/geocode") is None


ODD = "Zzyzx"
DATED = {"date": "2026-03-02"}


@pytest.mark.parametrize(
    ("tool", "arguments", "keys"),
    [
        ("fetch_webpage", {"url": f"https://en.wikipedia.org/wiki/{ODD}"}, ""),
        *[("web_search", {"query": ODD}, key) for key in ("SERPER_API_KEY", "TAVILY_API_KEY", "BRAVE_API_KEY")],
        ("maps_geocode", {"address": ODD}, "GOOGLE_API_KEY"),
        ("maps_elevation", {"locations": ["11.25,12.5"]}, "GOOGLE_API_KEY"),
        ("maps_distance_matrix", {"origins": [ODD], "destinations": [ODD]}, "GOOGLE_API_KEY"),
        ("maps_directions", {"origin": ODD, "destination": ODD}, "GOOGLE_API_KEY"),
        ("maps_search_places", {"query": ODD}, "GOOGLE_API_KEY"),
        ("maps_place_details", {"place_id": ODD}, "GOOGLE_API_KEY"),
        ("weather_historical", {"latitude": 11.25, "longitude": 12.5, **DATED}, ""),
        ("weather_forecast", {"latitude": 11.25, "longitude": 12.5}, ""),
        ("countries_area", {"country": ODD}, "RESTCOUNTRIES_API_KEY"),
        ("stock_volume", {"ticker": ODD, **DATED}, ""),
        ("crypto_volume", {"symbol": ODD, **DATED}, ""),
    ],
)  # fmt: skip
def test_whether_an_account_is_refused_is_asked_with_its_key_and_in_our_own_words(
    tmp_path: Path, tool: str, arguments: dict[str, object], keys: str
) -> None:
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(403, text="no")

    bases = {name: url for name, url in asdict(LIVE).items() if "://" in str(url)}
    find = Directory(bases, {}).place

    async def one() -> None:
        manners = Manners(turns=Turns(tmp_path / "turns"), refusals=Refusals(tmp_path), pages=None)
        transport = MannersRoad(httpx.MockTransport(answer), manners, find=find, keeps=frozenset())
        async with httpx.AsyncClient(transport=transport) as http:
            services = Services(http=http, endpoints=LIVE, keys={keys: "sesame"} if keys else {})
            await call(tool, arguments, services)

    asyncio.run(one())
    first, probe = asked[:2]
    assert find(first.url).address == find(probe.url).address
    shown = [f"{each.url} {each.content!r} {each.headers.raw}" for each in (first, probe)]
    marks = (ODD, ODD.upper(), "11.25")
    assert any(mark in shown[0] for mark in marks)
    assert not any(mark in shown[1] for mark in marks)
    assert ("sesame" in shown[1]) is bool(keys)
    assert probe.headers["user-agent"] == first.headers["user-agent"]
    assert Refusals(tmp_path).of(find(first.url).address) is not None


def test_what_asks_whether_an_account_is_refused_counts_as_one_request() -> None:
    url = "https://routes.googleapis.com/distanceMatrix/v2:computeRouteMatrix"
    refused = httpx.Request("POST", url, extensions={WEIGHT: 25, "timeout": {"read": 5.0}})
    probe = probe_of(refused, "maps")
    assert probe is not None
    assert (weight_of(refused), weight_of(probe)) == (25, 1)
    assert probe.extensions["timeout"] == {"read": 5.0}


PROXY = {
    "wikipedia": "http://proxy.example/wiki/api.php",
    "search": "http://proxy.example/search",
    "weather_archive": "http://proxy.example/past",
    "weather_forecast": "http://proxy.example/soon",
}
BEHIND = tuple(PROXY.values())


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ({"status_code": 401, "text": "no key"}, 1),
        ({"status_code": 429, "headers": {"retry-after": "60"}}, 1),
        ({"status_code": 503}, OUTAGE),
    ],
)
@pytest.mark.parametrize("bad", [BEHIND[1], BEHIND[2]])
def test_what_one_service_says_is_nobody_elses_behind_the_same_proxy(
    tmp_path: Path, said: dict[str, Any], asked: int, bad: str
) -> None:
    """A refusal, a pause, an outage: of the service, be its host another's, too."""
    network = Network(
        lambda it: httpx.Response(
            **said if str(it.url).startswith(bad) else {"status_code": 200, "json": PARSED}
        )
    )
    one = road(tmp_path, network, find=Directory(PROXY, {"weather": "off"}).place)
    for _ in range(asked):
        get(one, bad)
    before = one._manners.turns.clock()
    others = [url for url in BEHIND if url != bad]
    if (
        asked == 1 and said["status_code"] != 401
    ):  # a limit is the service's, whatever of it is asked
        others = [url for url in others if url.split("/")[3] not in ("past", "soon")]
    assert [reply.status_code for reply in get(one, *others)] == [200] * len(others)
    assert one._manners.turns.clock() == before
    assert set(others) <= set(network.asked)


def test_who_does_not_answer_behind_a_proxy_is_told_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = road(tmp_path, Network(says(503)), find=Directory(PROXY, {}).place)
    for _ in range(OUTAGE):
        get(one, BEHIND[1])
    monkeypatch.setattr("pytest_aar.manners.meter.LONGEST_WAIT", 30)
    with pytest.raises(
        HeldBack, match=r"^search at proxy\.example does not answer \(HTTP 503\), and is left"
    ):
        get(one, BEHIND[1])


def test_outside_the_services_a_403_is_one_pages(tmp_path: Path) -> None:
    network = Network(says(403, text="no"))
    one = road(tmp_path, network, find=Directory({}, {}).page, heeds=False)
    with metered() as meter:
        get(one, "https://x.example/a", "https://x.example/b")
    assert len(network.asked) == 2
    assert meter.notes == {}


@pytest.mark.parametrize(
    ("status", "body", "retry_after", "verdict"),
    [
        (401, b"", "", "denied"),
        (403, b"Please set a user-agent", "", "denied"),
        (402, b"", "", "quota"),
        (418, b"{}", "", "quota"),
        (451, b"{}", "", "denied"),
        (200, json.dumps(DENIED).encode(), "", "denied"),
        (200, b'{"status": "OVER_DAILY_LIMIT"}', "", "quota"),
        (200, b'{"status": "OVER_QUERY_LIMIT"}', "", None),
        (200, b'{"status": "OVER_QUERY_LIMIT", "error_message": "your daily request quota"}', "", "quota"),
        (429, b'{"error": {"code": "QUOTA_LIMITED", "detail": "used up"}}', "", "quota"),
        (429, b'{"error": {"code": "RATE_LIMITED", "detail": "slow down"}}', "", None),
        (429, b'{"errors": [{"message": "No requests left this month"}]}', "", "quota"),
        (429, b'{"message": "No credits left"}', "", "quota"),
        (200, b'{"status": "ZERO_RESULTS"}', "", None),
        (200, b'["status"]', "", None),
        (200, b'{"status": ', "", None),
        (200, b'{"status": "REQUEST_DENIED"}' + b" " * 30_000, "", None),
        (400, b'{"error": {"message": "API key not valid. Please pass a valid API key."}}', "", "denied"),
        (400, b'{"error": {"message": "Invalid address"}}', "", None),
        (400, b'{"message": "Not enough credits"}', "", "quota"),
        (422, b'{"error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}', "", "denied"),
        (432, b"", "", "quota"),
        (401, b'{"error": {"status": {"error_code": 10012, "error_message": "allowed time range"}}}', "", None),
        (404, b"", "", None),
        (429, b"Too Many Requests", "", None),
        (429, b"Too Many Requests", "30", None),
        (429, b"Too Many Requests", "3600", "quota"),
        (429, b'{"reason": "Minutely API request limit exceeded."}', "", None),
        (429, b'{"reason": "Hourly API request limit exceeded."}', "", "quota"),
        (429, b'{"reason": "Daily API request limit exceeded. Please try again tomorrow."}', "", "quota"),
        (429, b'{"message": "Not enough credits", "statusCode": 429}', "", "quota"),
        (429, b'{"error": {"message": "Quota exceeded for limit \'requests per day\'"}}', "", "quota"),
        (429, b'{"error": {"message": "Quota exceeded for limit \'requests per minute\'"}}', "", None),
        (503, b"daily maintenance", "", None),
        (429, b"Limit: 10 requests per hour", "5", None),
        (429, b"Limit: 10 requests per hour", "", "quota"),
        (429, b'{"message": "slow down", "q": "cost per day"}', "", None),
        (400, b'{"error": true, "reason": "Cannot initialize from invalid String value API_KEY_INVALID."}', "", None),
        (400, b'{"error": {"message": "Not a valid Place ID: API key expired"}}', "", None),
        (400, b'{"error": {"details": [{"fieldViolations": [{"description": "API_KEY_INVALID"}]}]}}', "", None),
        (400, b'{"error": {"message": "x", "details": [{"reason": "API_KEY_INVALID"}]}}', "", "denied"),
        (400, b'{"error": {"message": "API key expired. Please renew the API key."}}', "", "denied"),
        (400, b'{"message": "Invalid q: not enough credits"}', "", None),
        (422, b'{"error": {"meta": {"errors": [{"loc": ["query", "q"], "input": "x-subscription-token"}]}}}', "", None),
        (422, b'{"error": {"meta": {"errors": [{"loc": ["header", "X-Subscription-Token"]}]}}}', "", "denied"),
        (401, b'{"error": "10012 is no key"}', "", "denied"),
        (200, b'{"status": "OVER_QUERY_LIMIT", "error_message": "slow down", "q": "daily"}', "", None),
    ],
)  # fmt: skip
def test_what_refuses_the_account(
    status: int, body: bytes, retry_after: str, verdict: str | None
) -> None:
    assert verdict_on(status, body, retry_after=retry_after) == verdict
    by_words = status in (400, 422)
    keyless = verdict_on(status, body, retry_after=retry_after, takes_key=False)
    assert keyless == (None if by_words else verdict)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (
            httpx.ReadTimeout("late"),
            "wikipedia at en.wikipedia.org did not answer (ReadTimeout: late): check this machine's network "
            "(`aar doctor` asks every service), or name another address: --aar-services wikipedia=URL",
        ),
        (httpx.Response(503), "wikipedia answered HTTP 503"),
        (httpx.Response(429), "wikipedia answered HTTP 429, too many requests"),
        (httpx.Response(404), ""),
    ],
)
def test_an_outage_is_told(tmp_path: Path, reply: httpx.Response | Exception, told: str) -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        if isinstance(reply, Exception):
            raise reply
        return reply

    with metered() as meter:
        try:
            get(road(tmp_path, Network(answer)), PAGE)
        except httpx.ReadTimeout:
            assert isinstance(reply, httpx.ReadTimeout)
    assert meter.outage == told


def test_a_service_that_stays_down_is_not_asked_on_and_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = Network(says(503))
    one = road(tmp_path, network)
    for _ in range(OUTAGE):
        get(one, PAGE)
    before = one._manners.turns.clock()
    get(one, PAGE)  # waits for the cool-down, then tries
    assert one._manners.turns.clock() - before == pytest.approx(60)
    monkeypatch.setattr("pytest_aar.manners.meter.LONGEST_WAIT", 30)
    with pytest.raises(
        HeldBack, match=r"en\.wikipedia\.org does not answer \(HTTP 503\), and is left alone"
    ):
        get(one, PAGE)
    assert len(network.asked) == OUTAGE + 1


@pytest.mark.parametrize("faults", [0, OUTAGE])
@pytest.mark.parametrize(
    "reply",
    [says(429, headers={"retry-after": "50"}), says(429), says(503), says(503, headers={"retry-after": "40"})],
)  # fmt: skip
def test_a_call_of_a_tool_waits_two_minutes_at_most_whatever_it_waits_for(
    tmp_path: Path, reply: Callable[[httpx.Request], httpx.Response], faults: int
) -> None:
    """Turns at a host that is down, turns by a limit that is used up, and pauses between tries."""
    network = Network(reply)
    one = road(
        tmp_path, network, limits={"maps": "1/50s"}, find=Directory(DIRECT, {"maps": "1/50s"}).place
    )
    place = Directory(DIRECT, {}).place(httpx.URL(KEYED))
    with one._manners.turns.state(place.server).changing() as values:
        for _ in range(faults):
            Book(values, Policy()).failed(one._manners.turns.clock())
    client = httpx.AsyncClient(transport=one)
    services = Services(
        http=client,
        endpoints=LIVE,
        guard=TransportDecides(),
        attempts=4,
        keys={"GOOGLE_API_KEY": "k"},
    )
    began = one._manners.turns.clock()
    with metered() as meter, stamina.set_testing(True, attempts=4, cap=True):
        result = asyncio.run(call("maps_geocode", {"address": "Lima"}, services))
    assert not result.ok
    waited = one._manners.turns.clock() - began
    assert waited == pytest.approx(sum(meter.waited.values()))
    assert 0 < waited + meter.rested <= LONGEST_WAIT


def test_a_quota_of_our_own_is_a_refusal_only_when_its_end_is_far(tmp_path: Path) -> None:
    network = Network(says(json={}))
    for limit, is_for_good in (("1/day", True), ("1/5min", False)):
        one = road(tmp_path / limit.replace("/", "-"), network, limits={"maps": limit})
        get(one, KEYED)
        with metered() as meter, pytest.raises(HeldBack) as held:
            get(one, KEYED)
        assert (held.value.seconds > TOO_LATE) is is_for_good
        assert bool(meter.refusal) is is_for_good
        assert meter.outage.startswith("no turn for maps")


def test_a_body_that_trickles_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Trickle(httpx.AsyncByteStream):
        async def __aiter__(self):
            while True:
                await asyncio.sleep(0.005)
                yield b"x"

    monkeypatch.setattr("pytest_aar.manners.bodies.LONGEST_REPLY", 0.05)
    network = Network(lambda _: httpx.Response(200, stream=Trickle()))
    with pytest.raises(httpx.ReadTimeout, match=r"no whole reply within 0\.05 s"):
        get(road(tmp_path, network), KEYED)


@pytest.mark.parametrize(
    ("url", "service", "limits"),
    [
        ("https://de.wikipedia.org/w/api.php", "wikipedia", "200/min, 3 parallel"),
        ("https://places.googleapis.com/v1/places:searchText", "maps", "600/min, 8 parallel"),
        ("https://archive-api.open-meteo.com/v1", "weather", DEFAULTS["weather"].limits),
        ("https://api.search.brave.com/res", "brave", "1/s, 1 parallel"),
        ("http://127.0.0.1:1/v1/places", "maps", "off"),
        ("https://de.mirror.example/w/api.php?x=1", "wikipedia", "200/min, 3 parallel"),
        ("https://mirror.example/w/api.php", "pages", DEFAULTS["pages"].limits),
        ("https://de.mirror.example/w/api.phpx", "pages", DEFAULTS["pages"].limits),
        ("https://search.example/search?q=x", "searxng", DEFAULTS["searxng"].limits),
    ],
)
def test_each_service_has_its_limits(url: str, service: str, limits: str) -> None:
    own = {
        "wikipedia": "https://{language}.mirror.example/w/api.php",
        "searxng": "https://Search.example",
    }
    place = Directory({**BASES, **own}, {}, contact="me@example.org").place(httpx.URL(url))
    assert (place.service, place.policy) == (service, parse(limits))


def test_limits_of_ones_own_hold_on_this_machine_too() -> None:
    directory = Directory(BASES, {"maps": "5/s", "weather": "off"})
    assert directory.place(httpx.URL("http://127.0.0.1:1/x")).policy == parse("5/s")
    assert directory.place(httpx.URL("https://api.open-meteo.com/")).policy == Policy()
    hosts = {directory.page(httpx.URL(f"https://{host}/")).key for host in ("a.test", "b.test")}
    assert len(hosts) == 2
    assert directory.page(httpx.URL("https://en.wikipedia.org/x")).service == "wikipedia"
    assert directory.page(httpx.URL("http://localhost:8/x")).policy == Policy()


def test_wikimedia_asks_more_of_those_who_cannot_be_reached() -> None:
    assert str(policy_of("wikipedia", {}, contact=None)) == "10/min, 1 parallel"
    assert str(policy_of("wikipedia", {"wikipedia": "9/h"}, contact=None)) == "9/h"


def test_the_table_of_limits_reads_as_it_is_written() -> None:
    for name in names():
        assert str(parse(DEFAULTS[name].limits)) == DEFAULTS[name].limits
        assert f"| `{name}` |" in table()


def test_a_language_that_is_not_there_is_no_outage_and_holds_nobody_back(tmp_path: Path) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host == "cn.wikipedia.org":
            raise httpx.ConnectError("x") from socket.gaierror(socket.EAI_NONAME, "no such name")
        if request.url.host == "de.wikipedia.org":
            raise httpx.ConnectError("x") from socket.gaierror(socket.EAI_AGAIN, "no name server")
        return httpx.Response(200, json=PARSED)

    one = road(tmp_path, Network(answer))
    with metered() as meter:
        replies = get(one, *[PAGE.replace("en.", "cn.")] * (OUTAGE + 1))
    assert {reply.json()["error"]["code"] for reply in replies} == {"nosuchwiki"}
    assert meter.outage == ""
    for _ in range(OUTAGE):
        with metered() as meter, pytest.raises(httpx.ConnectError):
            get(one, PAGE.replace("en.", "de."))
        said = "wikipedia at de.wikipedia.org did not answer (ConnectError: x): check this machine's network"
        assert meter.outage.startswith(said)
    before = one._manners.turns.clock()
    assert get(one, PAGE)[0].json() == PARSED
    assert one._manners.turns.clock() == before


def test_the_home_wiki_is_there_even_if_its_name_is_not(tmp_path: Path) -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("x") from socket.gaierror(socket.EAI_NONAME, "no such name")

    with metered() as meter, pytest.raises(httpx.ConnectError):
        get(road(tmp_path, Network(answer)), PAGE)
    assert meter.outage.startswith("wikipedia at en.wikipedia.org did not answer")


@pytest.mark.parametrize(
    ("fault", "is_counted"),
    [(httpx.ConnectError("x"), False), (httpx.ConnectTimeout("x"), False), (httpx.ReadError("x"), True)],
)  # fmt: skip
def test_only_what_reached_the_service_counts_for_its_limits(
    tmp_path: Path, fault: httpx.TransportError, is_counted: bool
) -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        raise fault

    one = road(tmp_path, Network(answer), limits={"wikipedia": "1/min"})
    before = one._manners.turns.clock()
    for _ in range(2):
        with pytest.raises(httpx.TransportError):
            get(one, PAGE)
    assert (one._manners.turns.clock() - before >= 60) == is_counted


@pytest.mark.parametrize(
    ("url", "body"),
    [
        (KEYED, {"status": "OVER_QUERY_LIMIT", "results": []}),
        (PAGE, {"error": {"code": "ratelimited", "info": "slower"}}),
    ],
)
def test_a_limit_that_comes_with_a_good_status_slows_all(
    tmp_path: Path, url: str, body: dict
) -> None:
    one = road(tmp_path, Network(says(json=body)))
    with metered() as meter:
        get(one, url)
    assert meter.outage.endswith("answered HTTP 200, too many requests")
    before = one._manners.turns.clock()
    get(one, url)
    assert one._manners.turns.clock() - before == pytest.approx(1)


def test_a_long_quota_is_told_the_same_again(tmp_path: Path) -> None:
    network = Network(says(429, headers={"retry-after": "3600"}, text="later"))
    one = road(tmp_path, network)
    told = []
    for _ in range(2):
        with metered() as meter:
            get(one, KEYED)
        told.append(meter.refusal)
    assert told[0] == told[1] != ""
    assert len(network.asked) == 1


def test_a_call_is_refused_when_all_that_it_asked_refuse(tmp_path: Path) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(403) if "maps" in request.url.host else httpx.Response(503)

    one = road(tmp_path, Network(answer))
    with metered() as meter:
        get(one, KEYED)
        assert meter.refusal.startswith("access denied by maps (key in GOOGLE_API_KEY)")
        get(one, "https://api.coingecko.com/api/v3/x")
    assert meter.refusal == ""
    assert meter.outage.startswith(
        "access denied by maps (key in GOOGLE_API_KEY), HTTP 403: an empty body;"
    )
    assert meter.outage.endswith("; coingecko answered HTTP 503")


@pytest.mark.parametrize(
    ("url", "contact", "told"),
    [
        (PAGE, None, "say how you can be reached: --aar-contact ADDRESS"),
        (PAGE, "me@example.org", "User-Agent_policy: the contact is me@example.org"),
        ("http://127.0.0.1:1/w", "me@example.org", "ask who runs 127.0.0.1: it is an address of your own"),
        ("https://data-api.binance.vision/x", None, "race from another, or set another address"),
        ("https://api.open-meteo.com/v1", None, "api.open-meteo.com takes no key: it refuses this machine's"),
        (KEYED, None, "check the key, its billing"),
    ],
)  # fmt: skip
def test_what_to_do_at_a_denial_depends_on_who_denies(
    url: str, contact: str | None, told: str
) -> None:
    place = Directory(BASES, {}, contact=contact).place(httpx.URL(url))
    assert told in place.if_denied


def test_a_refusal_that_shows_the_key_is_told_without_any_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    key = "sesame-8f3b2c91d7e64a05"
    monkeypatch.setenv("SERPER_API_KEY", key)
    body = f"{'x' * 188} {key}".encode()
    refused = Refused(verdict="denied", status=403, content_type="text/plain", body=body)
    told = refused.told("search", if_denied="check the key")
    assert told.startswith("access denied by search, HTTP 403: xxx")
    assert key[:6] not in told


def test_a_reply_beyond_all_measure_is_left_and_not_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that is small as it comes; the service is well all the same."""
    monkeypatch.setattr("pytest_aar.manners.bodies.MOST_BYTES", 1000)
    small = httpx.ByteStream(gzip.compress(b"{" * 5000))
    packed = says(stream=small, headers={"content-encoding": "gzip"})
    for reply in (says(content=b"x" * 5000), packed):
        network = Network(reply)
        one = road(tmp_path, network, find=Directory(DIRECT, {}).place)
        services = Services(
            http=httpx.AsyncClient(transport=one),
            endpoints=LIVE,
            guard=TransportDecides(),
            attempts=3,
            keys={"GOOGLE_API_KEY": "k"},
        )
        with metered() as meter:
            result = asyncio.run(call("maps_geocode", {"address": "Lima"}, services))
        assert result.error_kind == "upstream"
        assert "the reply has more than 1,000 bytes: ask for less at once" in result.text
        assert "more than 1,000 bytes" in meter.outage
        assert len(network.asked) == 1
        place = Directory(DIRECT, {}).place(httpx.URL(KEYED))
        assert not one._manners.turns.state(place.server).read().get("faults")


@pytest.mark.parametrize("size", [10, 30_000])
def test_a_body_that_is_not_in_its_encoding_is_the_services_fault(
    tmp_path: Path, size: int
) -> None:
    body = httpx.ByteStream(b"no gzip" * size)
    one = road(tmp_path, Network(says(stream=body, headers={"content-encoding": "gzip"})))
    with metered() as meter, pytest.raises(httpx.RemoteProtocolError, match="the body is no gzip"):
        get(one, KEYED)
    assert "the body is no gzip" in meter.outage


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (403, b'{"error": {"code": 403, "details": [{"reason": "SERVICE_DISABLED"}]}}'),
        (400, b'{"error": {"code": 400, "details": [{"reason": "API_KEY_INVALID"}]}}'),
        (200, b'{"status": "REQUEST_DENIED"}'),
        (418, b"{}"),
        (429, b'{"message": "No requests left this month"}'),
    ],
)
def test_what_no_request_can_bring_about_is_believed_at_once(
    tmp_path: Path, status: int, body: bytes
) -> None:
    network = Network(says(status, content=body))
    with metered() as meter:
        get(road(tmp_path, network), KEYED)
    assert " maps (key in GOOGLE_API_KEY), HTTP " in meter.refusal
    assert network.asked == [KEYED]


BINANCE = "https://data-api.binance.vision/x"


def test_pages_that_agents_fetch_say_nothing_of_a_service_at_the_same_host(tmp_path: Path) -> None:
    find = Directory({"crypto": "https://data-api.binance.vision"}, {})
    server = find.place(httpx.URL(BINANCE)).server

    def state() -> dict[str, object]:
        return one._manners.turns.state(server).read()

    replies = [httpx.Response(503)]
    one = road(tmp_path, Network(lambda _: replies[0]), find=find.place)
    outside = road(tmp_path, Network(lambda _: replies[0]), find=find.page, heeds=False)
    get(one, *[BINANCE] * (OUTAGE - 1))
    assert state()["faults"] == OUTAGE - 1
    get(outside, *[BINANCE] * OUTAGE)
    assert state()["faults"] == OUTAGE - 1
    for status in (424, 200, 429):
        replies[0] = httpx.Response(status, headers={"retry-after": "100"})
        get(outside, BINANCE)
        assert state()["faults"] == OUTAGE - 1
    before = one._manners.turns.clock()
    get(one, BINANCE)
    assert one._manners.turns.clock() - before < 1


@pytest.mark.parametrize("is_sent", [True, False])
def test_a_page_that_was_not_asked_for_counts_for_no_limit(
    tmp_path: Path, *, is_sent: bool
) -> None:
    reply = httpx.Response(424, extensions={} if is_sent else {UNSENT: True})
    find = Directory({}, {"pages": "1/min"}).page
    one = road(tmp_path, Network(lambda _: reply), find=find, heeds=False)
    before = one._manners.turns.clock()
    for _ in range(2):
        get(one, "https://x.example/a")
    assert (one._manners.turns.clock() - before >= 60) is is_sent


@pytest.mark.parametrize("languages", [None, frozenset({"en"}), frozenset({"en", "xx"})])
def test_editions_that_a_race_has_no_use_for_leave_neither_notes_nor_refusals(
    tmp_path: Path, languages: frozenset[str] | None
) -> None:
    one = road(tmp_path, Network(says(418)))
    address = Directory(BASES, {}).place(httpx.URL(PAGE.replace("en.", "xx."))).address
    is_needed = languages is None or "xx" in languages
    with metered() as meter:
        meter.languages = languages
        get(one, PAGE.replace("en.", "xx."))
        assert bool(meter.notes) is is_needed
        assert (one._manners.refusals.of(address) is not None) is is_needed
        get(one, PAGE)
        assert meter.refusal


@pytest.mark.parametrize(
    ("base", "url", "edition", "is_guess"),
    [
        (BASES["wikipedia"], "https://De.wikipedia.org/w/api.php?x=1", "de", True),
        (BASES["wikipedia"], PAGE, "en", False),
        ("https://w.example/{language}/api.php", "https://w.example/fr/api.php", "fr", True),
        ("https://w.example/api.php", "https://w.example/api.php", "", False),
    ],
)
def test_the_edition_of_an_address_is_what_stands_for_the_language(
    base: str, url: str, edition: str, *, is_guess: bool
) -> None:
    place = Directory({"wikipedia": base}, {}).place(httpx.URL(url))
    assert (place.edition, place.is_guess) == (edition, is_guess)


@pytest.mark.parametrize(
    ("unset", "name"),
    [
        (frozenset(), "maps (key in GOOGLE_API_KEY)"),
        (frozenset({"GOOGLE_API_KEY"}), "maps (GOOGLE_API_KEY is not set)"),
        (frozenset({"SERPER_API_KEY"}), "maps (key in GOOGLE_API_KEY)"),
    ],
)
def test_a_key_that_is_not_set_is_told_as_such(unset: frozenset[str], name: str) -> None:
    find = Directory({"maps": "http://127.0.0.1:9/maps"}, {}, unset=unset).place
    assert find(httpx.URL("http://127.0.0.1:9/maps/x")).name == name


def test_the_same_is_advised_on_a_service_above_and_below_http() -> None:
    own = LIVE.with_overrides({"search": "http://127.0.0.1:9/x"})
    for endpoints, given_by in ((LIVE, ""), (own, "aar_services")):
        find = Directory({"search": endpoints.search}, {}).place
        asked = Asked(name="Search", option="search", given_by=given_by)
        assert find(httpx.URL(f"{endpoints.search}/search")).if_silent == asked.remedy


@pytest.mark.parametrize(
    ("service", "given_by"),
    [("geocoding", "aar_services"), ("searxng", "aar_services or SEARXNG_URL")],
)
def test_an_address_of_ones_own_that_does_not_answer_or_refuses_is_said_to_be_one(
    service: str, given_by: str
) -> None:
    find = Directory({service: "http://127.0.0.1:9/x"}, {}).place
    place = find(httpx.URL("http://127.0.0.1:9/x/search"))
    assert place.if_silent == f"is it running? Its address was given by {given_by}"
    assert place.if_denied == f"ask who runs 127.0.0.1: it is an address of your own ({given_by})"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error_message": "billing is off", "results": [], "status": "REQUEST_DENIED"}', "billing is off"),
        (b'{"error": {"code": 403, "message": "no such key"}}', "no such key"),
        (b'{"error": "odd"}', "odd"),
        (b'{"odd": "error"}', '{"odd": "error"}'),
        (b'{"detail": {"error": "your plan"}}', "your plan"),
        (b'{"success": false, "data": null, "errors": [{"code": "authKeyMissing", "message": "no key"}]}', "no key"),
        (b'{"error": {"status": {"error_code": 10002, "error_message": "no key"}}}', "no key"),
        (b'[{"error": {"code": 403, "message": "billing is off", "details": []}}]', "billing is off"),
        (b'{"finance": {"result": null, "error": {"code": "x", "description": "Invalid Crumb"}}}', "Invalid Crumb"),
        (b"<html><style>p {}</style><title>Forbidden</title><p>No &amp; never</p>", "Forbidden No & never"),
        (b"", "an empty body"),
        (b"[1]", "[1]"),
        (b"plain words", "plain words"),
        (b"A sentence. And one more.", "A sentence. And one more"),
        (b"word " * 60, " ".join(["word"] * 40) + " ..."),
    ],
)  # fmt: skip
def test_a_refusal_tells_the_services_message_and_breaks_no_word(body: bytes, said: str) -> None:
    refused = Refused(verdict="denied", status=200, content_type="application/json", body=body)
    told = refused.told("maps", if_denied="check the key")
    assert told == f"access denied by maps, HTTP 200: {said}; check the key"
