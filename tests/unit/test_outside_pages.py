"""Pages outside the encyclopedia over real sockets: what is fetched, and what never gets a connection."""

import asyncio
import re
import shutil
import ssl
import subprocess
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from little_world import order, post
from loopback_pages import PUBLIC, Web, drip_body, fetched, page, redirect, web
from tool_calls import failure

from pytest_aar.cassettes import open_tape
from pytest_aar.gateway import Gateway, Tapes
from pytest_aar.gateway.socket_guard import offline
from pytest_aar.gateway.tool_road import RACE_TAPE, TapedRoad
from pytest_aar.gateway.worlds import open_world
from pytest_aar.manners.signs import UNSENT
from pytest_aar.settings import Settings
from pytest_aar.tools import LIVE, PublicPages, Services, ToolResult, call
from pytest_aar.tools.outside import Reach
from pytest_aar.tools.outside_road import OutsideRoad


def test_a_page_comes_with_its_own_host_name() -> None:
    result, one = fetched(page(b"hello", "set-cookie: a=b"), "/a?q=1")
    assert (result.ok, result.text) == (True, "hello")
    assert result.final_url == one.url("/a?q=1")
    head = one.heads[0].decode().lower()
    assert f"get /a?q=1 http/1.1\r\nhost: page.test:{one.port}\r\n" in head
    assert "accept-encoding: gzip, deflate\r\n" in head
    assert (one.looked_up, one.trapped) == (["page.test"], 0)


HOSTS = [
    "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0", "0.0.0.0", "localhost",
    "LOCALHOST", "localhost.", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::127.0.0.1]",
    "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "127.0.0.1.", "127.0.0.1", "169.254.169.254",
]  # fmt: skip


@pytest.mark.parametrize("host", HOSTS)
def test_no_spelling_of_this_machine_is_connected_to(host: str) -> None:
    result, one = fetched(page(b"x"), f"http://{host}:PORT/")
    kind, message = failure(result)
    assert kind in ("denied", "bad_arguments", "upstream"), message
    assert (one.trapped, one.heads) == (0, [])
    if kind == "denied":
        assert re.search(
            r"is at [\d:a-f.]+ \(.+\); only hosts whose every address is public", message
        )


URLS = [
    ("http://page.test:1/", "denied", "its port is 1; only these are fetched: "),
    ("http://page.test:22/", "denied", "its port is 22"),
    ("ftp://page.test:PORT/", "bad_arguments", "expected http:// or https://"),
    ("file:///etc/passwd", "bad_arguments", "expected http:// or https://"),
    ("gopher://page.test:PORT/", "bad_arguments", "expected http:// or https://"),
    ("http://user:pw@page.test:PORT/", "denied", "it carries a user name or password"),
    ("http://page.test:PORT@127.0.0.1:PORT/", "denied", "it carries a user name"),
    ("http://page.test%0d%0a:PORT/", "denied", "no name of a host"),
    ("http://page.test:PORT/\r\nX: y", "bad_arguments", "not a URL"),
    ("http://[fe80::1%25lo]:PORT/", "denied", "no name of a host"),
]  # fmt: skip


@pytest.mark.parametrize(("url", "kind", "why"), URLS)
def test_a_url_that_is_not_fetched_says_why(url: str, kind: str, why: str) -> None:
    result, one = fetched(page(b"x"), url)
    found, message = failure(result)
    assert found == kind, message
    assert why in message
    assert "user:pw" not in message
    assert (one.trapped, one.heads, one.looked_up) == (0, [], [])


REDIRECTS = [
    ("http://127.0.0.1:PORT/", "denied", "is at 127.0.0.1 (this machine)"),
    ("file:///etc/passwd", "denied", "its scheme is 'file'"),
    ("gopher://page.test:PORT/x", "denied", "its scheme is 'gopher'"),
    ("http://page.test:1/", "denied", "its port is 1"),
    ("http://[::1]:PORT/", "denied", "is at ::1 (this machine)"),
    ("//localhost:PORT/", "denied", "is at "),
    ("/again", "upstream", "redirects more than 5 times"),
    ("http://[::bad/", "upstream", "Invalid URL in location header"),
]  # fmt: skip


@pytest.mark.parametrize(("location", "kind", "why"), REDIRECTS)
def test_each_redirect_is_checked_again(location: str, kind: str, why: str) -> None:
    result, one = fetched(redirect(location))
    found, message = failure(result)
    assert (found, why in message) == (kind, True), message
    assert one.trapped == 0
    assert len(one.heads) == (6 if location == "/again" else 1)


def test_a_name_is_looked_up_once_and_that_address_is_taken() -> None:
    """The second answer would lead to this machine."""
    result, one = fetched(
        page(b"fine"), "http://turns.test:PORT/", **{"turns.test": [[PUBLIC], ["127.0.0.1"]]}
    )
    assert (result.ok, one.looked_up, one.trapped) == (True, ["turns.test"], 0)


@pytest.mark.parametrize(
    "addresses", [[PUBLIC, "127.0.0.1"], ["10.0.0.1", PUBLIC], [PUBLIC, "::1"]]
)
def test_one_bad_address_refuses_the_whole_name(addresses: list[str]) -> None:
    result, one = fetched(page(b"x"), "http://mixed.test:PORT/", **{"mixed.test": [addresses]})
    kind, message = failure(result)
    assert (kind, "mixed.test can't be fetched: mixed.test is at" in message) == ("denied", True)
    assert (one.heads, one.trapped) == ([], 0)


def test_a_name_that_nobody_knows_is_the_webs_failure() -> None:
    result, _ = fetched(page(b"x"), "http://nowhere.invalid:PORT/", **{"nowhere.invalid": [[]]})
    assert failure(result) == (
        "upstream",
        "nowhere.invalid can't be read: nowhere.invalid has no address; check the address, and this "
        "machine's network",
    )


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async def over() -> None:
        async with web(page(b"direct")) as one:
            for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
                monkeypatch.setenv(name, f"http://127.0.0.1:{one.port}")
            assert (await one.fetch(one.url())).text == "direct"
            assert one.trapped == 0

    asyncio.run(over())


def test_cookies_of_one_page_do_not_reach_the_next() -> None:
    async def over() -> None:
        async with web(page(b"x", "set-cookie: who=me")) as one:
            services = one.services()
            for _ in range(2):
                assert (await call("fetch_webpage", {"url": one.url()}, services)).ok
            assert b"cookie" not in b"".join(one.heads).lower()

    asyncio.run(over())


def test_the_certificate_is_checked_against_the_name(tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl to make a certificate")
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-keyout", key, "-out", certificate, "-subj", "/CN=secure.test",
         "-addext", "subjectAltName=DNS:secure.test"],
        check=True, capture_output=True,
    )  # fmt: skip
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(certificate, key)
    asked: list[str] = []
    serving.sni_callback = lambda _, name, __: asked.append(name)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await page(b"sealed")(await reader.readuntil(b"\r\n\r\n"), writer)
        writer.close()

    async def over() -> None:
        server = await asyncio.start_server(serve, PUBLIC, 0, ssl=serving)
        one = Web(port=server.sockets[0].getsockname()[1])
        one.names = {"secure.test": [[PUBLIC]], "other.test": [[PUBLIC]]}
        road = OutsideRoad(one.reach, trust=ssl.create_default_context(cafile=str(certificate)))
        async with server, httpx.AsyncClient(transport=road) as pages:
            services = Services(
                http=pages, endpoints=LIVE, guard=PublicPages(reach=one.reach), pages=pages
            )
            good = await call(
                "fetch_webpage", {"url": one.url(host="secure.test", scheme="https")}, services
            )
            assert (good.text, asked) == ("sealed", ["secure.test"])
            bad = await call(
                "fetch_webpage", {"url": one.url(host="other.test", scheme="https")}, services
            )
            kind, message = failure(bad)
            assert (kind, "CERTIFICATE_VERIFY_FAILED" in message) == ("upstream", True)

    asyncio.run(over())


def test_pages_refusals_and_timeouts_replay_without_a_network(tmp_path: Path) -> None:
    async def handler(head: bytes, writer: asyncio.StreamWriter) -> None:
        if b"/slow" in head:
            await drip_body(head, writer)
        elif b"/moved" in head:
            await redirect("http://page.test:PORT/new")(head, writer)
        else:
            await page(b"z" * 3_000_000)(head, writer)

    async def results(one: Web, road: httpx.AsyncBaseTransport) -> list[ToolResult]:
        async with httpx.AsyncClient(transport=TapedRoad(road)) as pages:
            services = Services(
                http=pages, endpoints=LIVE, guard=PublicPages(reach=one.reach), pages=pages
            )
            urls = [one.url("/moved"), one.url(host="inside.test"), one.url("/slow")]
            return [await call("fetch_webpage", {"url": url}, services) for url in urls]

    async def over() -> tuple[Web, list[ToolResult]]:
        async with web(handler) as one:
            one.names["inside.test"] = [["10.0.0.7"]]
            return one, await results(one, OutsideRoad(one.reach, seconds=1.0))

    path = tmp_path / "tools.json"
    tape = open_tape(path, mode="all")
    RACE_TAPE.set(tape)
    one, recorded = asyncio.run(over())
    tape.save()
    tape.close()
    assert [result.error_kind for result in recorded] == [None, "denied", "timeout"]
    assert len(recorded[0].text) == 2_000_000
    tape = open_tape(path, mode="none")
    RACE_TAPE.set(tape)
    one.looked_up.clear()
    with offline() as guard:
        assert asyncio.run(results(one, OutsideRoad(one.reach))) == recorded
    RACE_TAPE.set(None)
    assert (guard.attempts, one.looked_up, tape.misses) == ([], [], ())


def test_a_race_in_the_live_world_replays_outside_pages(tmp_path: Path) -> None:
    """Through the gateway: its roads are real ones, and none is taken."""
    url, path = "https://far.example.org/page", tmp_path / "tools.json"

    async def recorded() -> None:
        network = httpx.MockTransport(lambda _: httpx.Response(200, text="words from far away"))
        async with httpx.AsyncClient(transport=TapedRoad(network)) as pages:
            await pages.get(url)

    tape = open_tape(path, mode="all")
    RACE_TAPE.set(tape)
    asyncio.run(recorded())
    RACE_TAPE.set(None)
    tape.save()
    tape.close()
    tape = open_tape(path, mode="none")
    told = order(tapes=Tapes(tools=tape))
    settings = Settings(model="m", base_url="https://model.test/v1", world="live")
    with offline() as guard, Gateway(settings) as gate, gate.open_race(told) as race:
        assert (
            "words from far away" in post(race, gate, "tools/fetch_webpage", json={"url": url}).text
        )
        inside = {"url": "http://127.0.0.1/"}
        assert "(this machine)" in post(race, gate, "tools/fetch_webpage", json=inside).text
        assert race.problem is None
        missing = {"url": "https://far.example.org/other"}
        post(race, gate, "tools/fetch_webpage", json=missing)
        assert "far.example.org/other is not in" in str(race.problem)
    assert guard.attempts == []


def test_the_live_world_refuses_what_is_not_public() -> None:
    """The road of the world itself: nothing listens, and nothing is asked."""

    async def over() -> None:
        async with open_world("live", Settings()) as world:
            for url in (
                "http://169.254.169.254/latest",
                "http://localhost/",
                "http://[::1]/",
                "http://127.1:80/",
            ):
                result = await call("fetch_webpage", {"url": url}, world.services)
                kind, message = failure(result)
                assert (kind, "only hosts whose every address is public" in message) == (
                    "denied",
                    True,
                )

    asyncio.run(over())


@pytest.mark.parametrize(
    ("objection", "addresses", "is_sent"),
    [
        (lambda _: "this machine", ["127.0.0.1"], False),
        (lambda _: None, [], False),
        (lambda _: None, ["127.0.0.1"], True),
    ],
)
def test_who_was_never_connected_to_was_not_asked(
    objection: Callable[[str], str | None], addresses: list[str], *, is_sent: bool
) -> None:
    """What is connected to here hangs up at once."""

    async def resolve(host: str, port: int) -> list[str]:
        return addresses

    async def one() -> httpx.Response:
        server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        reach = Reach(ports=frozenset({port}), objection=objection, resolve=resolve)
        async with server, httpx.AsyncClient(transport=OutsideRoad(reach)) as client:
            return await client.get(f"http://x.test:{port}/")

    reply = asyncio.run(one())
    assert reply.status_code == 424
    assert (UNSENT not in reply.extensions) is is_sent
