"""Articles from a Kiwix server: a loopback server that answers as kiwix-serve does, of both address schemes."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import fields, replace
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, quote, unquote, urlsplit

import httpx
import pytest
from loopback_servers import served
from tool_calls import Recorder, ask, failure

from pytest_aar.doctor import Probes
from pytest_aar.doctor.services import services
from pytest_aar.gateway.worlds import open_world
from pytest_aar.option_values import Given
from pytest_aar.options import settings_from
from pytest_aar.settings import Settings
from pytest_aar.tools import LIVE, ToolResult, call

EN = "https://en.wikipedia.org/wiki/"
FRAME = """<!doctype html><html><head><title>{0}</title></head><body><h1>{0}</h1><div id="mw-content-text">
<div class="mw-parser-output"><table class="infobox"><tr><th>Capital</th><td><a href="Alpha_(city)">Alpha</a></td></tr>
</table><p>{0} is here.</p><h2>History</h2><p>Old.</p></div><p>footer</p></div></body></html>"""
PAGES = {
    "Norland": "Norland",
    "Alpha_(city)": "Alpha (city)",
    "AC/DC_Rock": "AC/DC Rock",
    "eBay_Coast": "eBay Coast",
    "A/B_testing": "A/B testing",
    "C_sharp": "C sharp",
    "A/C_sharp": "A/C sharp",
}
REDIRECTS = {"Kingdom_of_Norland": "Norland"}


class Kiwix(BaseHTTPRequestHandler):
    """`/content/wiki_en/PATH` (3.4 and later), or `/wiki_en/A/PATH` of old."""

    scheme = "/content/wiki_en/"

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        path = unquote(parts.path)
        if path == "/suggest":
            self._suggest(parse_qs(parts.query))
            return
        if self.scheme.startswith(f"{path}/") and "wiki_en" in path:  # the book: its main page
            self._send(302, b"", location=self.scheme + "Norland")
            return
        entry = path.removeprefix(self.scheme) if path.startswith(self.scheme) else None
        if entry in REDIRECTS:
            self._send(302, b"", location=self.scheme + quote(REDIRECTS[entry]))
        elif entry in PAGES:
            self._send(200, FRAME.format(PAGES[entry]).encode())
        elif entry == "Picture":
            self._send(200, b"x", kind="image/png")
        elif entry == "Loop":
            self._send(302, b"", location=self.scheme + "Loop")
        elif entry == "Away":
            self._send(302, b"", location="http://elsewhere.test/x")
        else:
            self._send(404, b"<title>Content not found</title>")

    def _suggest(self, query: dict[str, list[str]]) -> None:
        if query["content"] != ["wiki_en"]:
            self._send(404, b"<title>Content not found</title>")
            return
        word = query["term"][0].casefold()
        known = self.scheme.removeprefix("/content/wiki_en/").removeprefix("/wiki_en/")
        rows = [
            {"value": title, "label": f"<b>{title}</b>", "kind": "path", "path": known + path}
            for path, title in PAGES.items()
            if title.casefold().startswith(word[:3])
        ]
        rows.append({"value": f"{word} ", "label": "containing ...", "kind": "pattern"})
        self._send(200, json.dumps(rows).encode(), kind="application/json; charset=utf-8")

    def _send(self, status: int, body: bytes, *, kind: str = "text/html", **headers: str) -> None:
        self.send_response(status)
        for name, text in {
            "content-type": kind,
            "content-length": str(len(body)),
            **headers,
        }.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class OldKiwix(Kiwix):
    scheme = "/wiki_en/A/"


class OldFile(Kiwix):
    """A file of old on a server of today."""

    scheme = "/content/wiki_en/A/"


KINDS = {
    "new": (Kiwix, "/content/wiki_en"),
    "old": (OldKiwix, "/wiki_en"),
    "old file": (OldFile, "/content/wiki_en"),
}


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def base(request: pytest.FixtureRequest) -> Iterator[str]:
    kind, path = request.param
    with served(kind) as port:
        yield f"kiwix+http://127.0.0.1:{port}{path}"


def fetch(base: str, url: str, **arguments: object) -> ToolResult:
    """As a race does: the live world with the base URL of the option."""
    given = Given(text=f"wikipedia={base}", source="--aar-services", folder=None)  # type: ignore[arg-type] # no path
    settings: Settings = settings_from({"services": (given,)})

    async def over() -> ToolResult:
        async with open_world("live", settings) as world:
            return await call("fetch_webpage", {"url": url, **arguments}, world.services)

    return asyncio.run(over())


def test_wikipedias_addresses_are_answered_from_the_server(base: str) -> None:
    found = fetch(base, f"{EN}Norland")
    assert found.text.startswith(f"# Norland\nURL: {EN}Norland\nSections:\n1 History\n\n| Capital")
    assert "Norland is here." in found.text
    assert "footer" not in found.text
    assert f"{EN}Alpha_(city)" in found.text
    assert (found.final_url, found.title) == (f"{EN}Norland", "Norland")
    assert "languages" not in found.details


def test_one_section_and_no_question_for_more(base: str) -> None:
    assert fetch(base, f"{EN}Norland", section="History").text == "# Norland\n\n## History\n\nOld."
    kind, message = failure(fetch(base, f"{EN}Norland", section="Art"))
    assert (kind, "1 History" in message) == ("not_found", True)


@pytest.mark.parametrize(
    ("asked", "title"),
    [
        ("norland", "Norland"),
        ("AC/DC_Rock", "AC/DC Rock"),
        ("EBay_Coast", "eBay Coast"),
        ("alpha_(City)", "Alpha (city)"),
    ],
)
def test_titles_in_other_spellings(base: str, asked: str, title: str) -> None:
    found = fetch(base, EN + asked)
    assert found.title == title, found.text
    assert f"{title} is here." in found.text
    assert "redirected_from" not in found.details


@pytest.mark.parametrize("title", ["A/B testing", "C sharp", "A/C sharp"])
def test_a_title_may_begin_as_the_folder_of_old_files(base: str, title: str) -> None:
    found = fetch(base, EN + title.replace(" ", "_"))
    assert (found.title, found.final_url) == (title, EN + title.replace(" ", "_")), found.text
    assert f"{title} is here." in found.text
    assert "redirected_from" not in found.details


def test_a_title_that_only_ends_like_another_one_is_not_there(base: str) -> None:
    kind, message = failure(fetch(base, f"{EN}B_testing"))
    assert (kind, "has no page 'B testing'" in message) == ("not_found", True), message


@pytest.mark.parametrize("book", ["/content/b", "/b"])
@pytest.mark.parametrize("head", ["<title>C\u266f</title>", "<title></title>", ""])
def test_an_old_file_need_not_say_in_its_titles_what_its_paths_do(book: str, head: str) -> None:
    pages = {f"{book}/A/C_Sharp": head, f"{book}/A/Lima": "<title>A/Lima</title>"}

    def server(request: httpx.Request) -> httpx.Response:
        path = unquote(request.url.path)
        if path == "/suggest":
            return httpx.Response(200, json=[])
        found = pages.get(path)
        return httpx.Response(404) if found is None else httpx.Response(200, html=f"{found}<p>Hi")

    endpoints = LIVE.with_overrides({"wikipedia": f"kiwix+http://k.test{book}"})
    found = ask("fetch_webpage", {"url": f"{EN}C_Sharp"}, server, endpoints=endpoints)
    assert (found.title, found.final_url) == ("C Sharp", f"{EN}C_Sharp"), found.text
    assert "redirected_from" not in found.details
    wanted = {"url": f"{EN}Lima"}
    kind, message = failure(ask("fetch_webpage", wanted, server, endpoints=endpoints))
    assert (kind, "has no page 'Lima'" in message) == ("not_found", True)


def test_redirects_of_the_file_are_followed(base: str) -> None:
    found = fetch(base, f"{EN}Kingdom_of_Norland")
    assert (found.title, found.final_url) == ("Norland", f"{EN}Norland")
    assert found.details["redirected_from"] == "Kingdom of Norland"


def test_its_own_addresses_are_articles_as_well(base: str) -> None:
    own = base.removeprefix("kiwix+")
    paths = ["Norland"] if base.endswith("/content/wiki_en") else ["Norland", "A/Norland"]
    for path in paths:
        found = fetch(base, f"{own}/{path}")
        assert (found.title, found.final_url) == ("Norland", f"{own}/Norland")
        assert "redirected_from" not in found.details


def test_the_folder_of_an_old_file_is_no_part_of_a_title_on_any_server() -> None:
    with served(OldFile) as port:
        own = f"http://127.0.0.1:{port}/content/wiki_en"
        found = fetch(f"kiwix+{own}", f"{own}/A/Norland")
    assert (found.title, found.final_url) == ("Norland", f"{own}/Norland")
    assert "redirected_from" not in found.details


def test_a_page_that_is_not_there_names_titles_near_it(base: str) -> None:
    kind, message = failure(fetch(base, f"{EN}Norlandia"))
    assert kind == "not_found"
    assert message == "the Kiwix server's wiki_en has no page 'Norlandia'; titles near it: Norland"


def test_a_revision_is_not_in_a_file(base: str) -> None:
    kind, message = failure(fetch(base, "https://en.wikipedia.org/w/index.php?oldid=5"))
    assert (kind, message) == ("bad_arguments", "a Kiwix server has no revision 5: ask by title")


@pytest.mark.parametrize("title", ["..%2F..%2Fcatalog", "A%2F..%2F..%2Fx", ".%2Fx"])
def test_no_title_leads_out_of_the_book(base: str, title: str) -> None:
    kind, message = failure(fetch(base, EN + title))
    assert (kind, "is no title: it holds . or .." in message) == ("bad_arguments", True), message


@pytest.mark.parametrize(
    ("title", "said"),
    [("Picture", "answered HTTP 200 with image/png"), ("Loop", "more than 5 times"),
     ("Away", "to another host, elsewhere.test")],
)  # fmt: skip
def test_what_is_no_article_is_the_servers_failure(base: str, title: str, said: str) -> None:
    if base.endswith("/content/wiki_en"):
        kind, message = failure(fetch(base, EN + title))
        assert (kind, said in message) == ("upstream", True), message


def test_a_book_that_is_not_there_says_what_to_write(base: str) -> None:
    wrong = base.replace("wiki_en", "wiki_de")
    kind, message = failure(fetch(wrong, f"{EN}Norland"))
    assert kind == "upstream"
    assert (
        "has it a book 'wiki_de'? (aar_services, wikipedia = kiwix+http://HOST:PORT/content/BOOK)"
        in message
    )


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [(httpx.Response(503, text="overloaded"), "upstream", "The Kiwix server answered HTTP 503: overloaded"),
     (httpx.Response(401, text="log in"), "denied", "The Kiwix server answered HTTP 401: log in"),
     (httpx.Response(200, html="<p>Hello"), "upstream", "not JSON: Hello"),
     (httpx.Response(404), "upstream", "has no page 'Cat' and no list of titles: has it a book 'b'?")],
)  # fmt: skip
def test_a_list_of_titles_that_fails_tells_why(
    answer: httpx.Response, kind: str, said: str
) -> None:
    """Only a server that knows no such list may be asked for another book."""

    def server(request: httpx.Request) -> httpx.Response:
        return answer if request.url.path == "/suggest" else httpx.Response(404)

    endpoints = LIVE.with_overrides({"wikipedia": "kiwix+http://k.test/content/b"})
    found, message = failure(ask("fetch_webpage", {"url": f"{EN}Cat"}, server, endpoints=endpoints))
    assert (found, said in message) == (kind, True), message
    assert ("has it a book" in message) is (answer.status_code == 404)


def test_the_doctor_asks_the_server_itself(base: str) -> None:
    parts = {item.name: "" for item in fields(LIVE) if isinstance(getattr(LIVE, item.name), str)}
    host, probes = urlsplit(base).netloc, Probes(service_seconds=5)
    (found,) = services(replace(LIVE, **{**parts, "wikipedia": base}), {}, probes)
    assert (found.name, found.state, found.found) == ("wikipedia", "ok", f"{host} answers")
    other = base.replace("wiki_en", "wiki_de")
    (found,) = services(replace(LIVE, **{**parts, "wikipedia": other}), {}, probes)
    told = f"{host} answers HTTP 404: it has no such book"
    assert (found.state, found.found) == ("broken", told)


def test_only_wikipedia_may_be_a_kiwix_server() -> None:
    given = Given(text="search=kiwix+http://x.test/b", source="--aar-services", folder=None)  # type: ignore[arg-type] # no path
    with pytest.raises(Exception, match="valid: search=https://HOST"):
        settings_from({"services": (given,)})


def test_a_self_hosted_mediawiki_answers_for_wikipedia() -> None:
    endpoints = LIVE.with_overrides({"wikipedia": "http://127.0.0.1:8080/w/api.php"})
    body = {"parse": {"title": "Lima", "text": "<p>x</p>"}}
    seen = Recorder(httpx.Response(200, json=body))
    for url in (f"{EN}Lima", "http://127.0.0.1:8080/index.php/Lima"):
        found = ask("fetch_webpage", {"url": url}, seen, endpoints=endpoints)
        assert str(seen.requests[-1].url).startswith(
            "http://127.0.0.1:8080/w/api.php?action=parse&page=Lima"
        )
        assert found.final_url == url
