"""The tests' own internet: its services speak as the real ones do, and its faults are real faults."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fake_internet import (
    KEYS,
    AnswerBook,
    Article,
    Fault,
    Internet,
    Library,
    Limit,
    Served,
    article_of,
    serving,
)
from fake_internet.__main__ import options
from handmade_legs import leg, linear

from pytest_aar.tools import LIVE, Services, ToolResult, call

EN = "https://en.wikipedia.org/wiki"
HARBOUR = """
| Port of Harbour | |
| --- | --- |
| Population | 1,204[[1]](#cite_note-1) |
| River | [Ash (river)](/wiki/Ash_(river) "Ash (river)") |
| Mayor | *[Ada "A." Bay](/wiki/Ada_Bay "Ada \\"A.\\" Bay")* |

**Harbour** is a town. [![map](//up/m.png)](/wiki/File:M.png)

## History

[[edit](/w/index.php?title=Harbour&action=edit&section=1 "Edit section: History")]

Founded in 1204.

### Fire

* Burnt 1300
  + twice

## Trade

| Year | Ships |
| --- | --- |
| 1900 | 31 |

| [v](/wiki/Template:Ports "x") [t](/wiki/Template_talk:Ports "y") Ports | |
| --- | --- |
| North | Nowhere |
"""
ASH = Article(title="Ash (river)", body="A river of 31 km.", revision=8, page_id=2)
PAGE = Article(
    title="Harbour", body=HARBOUR, languages=(("de", "Hafen", "https://de"),) * 3, revision=7,
    edited="2026-03-01T10:00:00Z",
)  # fmt: skip


def internet(**fields: Any) -> Internet:
    library = Library.of([PAGE, ASH], {"Port of Harbour": "Harbour"})
    return Internet(library=library, book=AnswerBook.of([leg(linear())]), **fields)


@pytest.fixture
def served() -> Iterator[Served]:
    with serving(internet()) as found:
        yield found


def over(served: Served, talk: Callable[[Services], Awaitable[Any]], attempts: int = 1) -> Any:
    async def run() -> Any:
        async with httpx.AsyncClient(trust_env=False) as client:
            endpoints = LIVE.with_overrides(served.overrides)
            return await talk(
                Services(http=client, endpoints=endpoints, keys=KEYS, attempts=attempts)
            )

    return asyncio.run(run())


def tool(served: Served, name: str, *, attempts: int = 1, **arguments: Any) -> ToolResult:
    return over(served, lambda services: call(name, arguments, services), attempts)


def get(served: Served, path: str, **headers: str) -> httpx.Response:
    agent = {"user-agent": "tests/1 (me@example.org)"}
    return httpx.get(f"{served.url}{path}", headers=agent | headers, trust_env=False)


def test_an_article_is_served_in_today_s_markup(served: Served) -> None:
    page = tool(served, "fetch_webpage", url=f"{EN}/Port_of_Harbour")
    lines = page.text.splitlines()
    assert lines[0] == "# Harbour"
    assert any(line.startswith("Languages: 3") for line in lines)
    assert "| Population | 1,204 |" in lines
    assert "| River | [Ash (river)](/wiki/Ash_(river)) |" in lines
    assert re.search(r'\| Mayor \| \*?\[Ada "A." Bay\]\(/wiki/Ada_Bay\)', page.text)
    assert "### Fire" in lines
    assert "| 1900 | 31 |" in lines
    assert not any(
        gone in page.text for gone in ("float:right", "Nowhere", "[edit]", "m.png", "[1]")
    )
    raw = json.loads(get(served, "/wikipedia/w/api.php?action=parse&page=Harbour").text)["parse"]
    assert '<div class="mw-heading mw-heading2"><h2 id="History">' in raw["text"]["*"]
    assert '<th scope="row" class="infobox-label">Population</th>' in raw["text"]["*"]
    assert 'class="navbox"' in raw["text"]["*"]


def wiki(served: Served, **query: str) -> Any:
    words = "&".join(f"{name}={value}" for name, value in query.items())
    return get(served, f"/wikipedia/w/api.php?{words}&formatversion=2").json()


def test_the_wiki_s_api(served: Served) -> None:
    sections = wiki(served, action="parse", page="Harbour", prop="sections")["parse"]["sections"]
    assert [(s["number"], s["index"], s["level"], s["line"]) for s in sections] == [
        ("1", "1", "2", "History"), ("1.1", "2", "3", "Fire"), ("2", "3", "2", "Trade"),
    ]  # fmt: skip
    toc = wiki(served, action="parse", page="Harbour", prop="tocdata")["parse"]["tocdata"]
    assert [row.get("hLevel") for row in toc["sections"]] == [None, 3, None]
    part = wiki(served, action="parse", page="Harbour", section="1")["parse"]["text"]
    assert "Burnt" in part
    assert "Trade" not in part
    lead = wiki(served, action="parse", page="Harbour", section="0")["parse"]["text"]
    assert "is a town" in lead
    assert "Founded" not in lead
    asked = {"action": "query", "titles": "port_of_Harbour|Nowhere", "redirects": "1"}
    query = wiki(served, **asked)["query"]
    assert query["normalized"][0]["to"] == "Port of Harbour"
    assert query["redirects"] == [{"from": "Port of Harbour", "to": "Harbour"}]
    assert [page.get("missing") for page in query["pages"]] == [None, True]
    pinned = {"action": "query", "prop": "revisions", "titles": "Harbour"}
    (now,) = wiki(served, **pinned, rvstart="2026-03-01T10:00:00Z")["query"]["pages"]
    (before,) = wiki(served, **pinned, rvstart="2026-03-01T09:59:59Z")["query"]["pages"]
    assert now["revisions"][0]["revid"] == 7
    assert "revisions" not in before
    assert wiki(served, action="parse", oldid="8")["parse"]["title"] == "Ash (river)"
    assert wiki(served, action="parse", page="Nowhere")["error"]["code"] == "missingtitle"
    assert wiki(served, action="parse", oldid="9")["error"]["code"] == "nosuchrevid"


def test_services_refuse_what_the_real_ones_refuse(served: Served) -> None:
    refused = get(served, "/wikipedia/w/api.php", **{"user-agent": "python-httpx/0.28"})
    assert (refused.status_code, refused.headers["content-type"]) == (403, "text/plain; charset=utf-8")  # fmt: skip
    assert get(served, "/maps/maps/api/geocode/json").json()["status"] == "REQUEST_DENIED"
    assert get(served, "/maps/v1/places/x").status_code == 403
    unmasked = get(served, "/maps/v1/places/x", **{"x-goog-api-key": "k"})
    assert "FieldMask" in unmasked.json()["error"]["message"]
    assert get(served, "/countries/countries/v5/names.common/Chad").status_code == 401
    assert get(served, "/nothing/here").status_code == 404


def test_what_a_leg_asks_for_is_known_and_the_rest_made_up_alike(served: Served) -> None:
    place = json.loads(tool(served, "maps_geocode", address="Harbour").text)
    location = {
        f"{axis}itude": place["location"][key] for axis, key in (("lat", "lat"), ("long", "lng"))
    }
    heights = [
        json.loads(tool(served, "maps_elevation", locations=[point]).text)["results"][0][
            "elevation"
        ]
        for point in (location, location, {"latitude": 1, "longitude": 2})
    ]
    assert heights[0] == heights[1]
    book = served.internet.book
    book.facts["elevation", "harbour"] = 7.5
    again = json.loads(tool(served, "maps_elevation", locations=[location]).text)
    assert again["results"][0]["elevation"] == 7.5
    book.facts["poi_count", "zoos near harbour"] = 0
    assert (
        json.loads(tool(served, "maps_search_places", query="Zoos near  Harbour").text)["count"]
        == 0
    )
    assert not tool(served, "countries_population", country="Nowhere").ok
    assert not tool(served, "stock_volume", ticker="NONE", date="2020-01-01").ok
    assert not tool(served, "crypto_volume", symbol="NONEUSDT", date="2020-01-01").ok
    found = json.loads(tool(served, "web_search", query="the harbour").text)
    assert found["results"][0]["url"] == f"{EN}/Harbour"


def test_quotes_have_trading_days(served: Served) -> None:
    book = served.internet.book
    book.facts |= {
        ("stock_price", "abc", "2020-01-04"): 12.5, ("stock_volume", "abc", "2020-01-04"): 300,
        ("crypto_price", "btcusdt", "2020-01-04"): 9.25,
        ("population", "chad"): 20_299_123,
    }  # fmt: skip
    friday = json.loads(
        tool(served, "stock_historical_price", ticker="ABC", date="2020-01-04").text
    )
    assert (friday["date"], friday["close_price"]) == ("2020-01-03", 12.5)
    assert (
        json.loads(tool(served, "stock_volume", ticker="ABC", date="2020-01-04").text)["volume"]
        == 300
    )
    coin = tool(served, "crypto_historical_price", symbol="BTC", date="2020-01-04")
    assert json.loads(coin.text)["close_price"] == 9.25
    people = json.loads(tool(served, "countries_population", country="Chad").text)
    assert people["population"] == 20_299_123
    by_code = get(
        served, "/countries/countries/v5/codes.alpha_2/TD", authorization="Bearer k"
    ).json()
    assert [each["population"] for each in by_code["data"]["objects"]] == [20_299_123]
    other = get(served, "/countries/countries/v5/codes.alpha_2/NE", authorization="Bearer k")
    assert other.json()["data"]["objects"] == []


@pytest.mark.parametrize("fault", ["429", "500", "403"])
def test_a_fault_happens_as_often_as_asked(served: Served, fault: str) -> None:
    served.internet.faults(
        Fault(kind=fault, service="wikipedia", where="page=Harbour", times=2, retry_after=3)
    )  # type: ignore[arg-type]  # parametrized
    replies = [get(served, "/wikipedia/w/api.php?action=parse&page=Harbour") for _ in range(3)]
    assert [reply.status_code for reply in replies] == [int(fault), int(fault), 200]
    assert replies[0].headers["content-type"].startswith("text/plain")
    assert replies[0].headers.get("retry-after") == ("3" if fault == "429" else None)
    assert [entry.fault for entry in served.internet.log.entries] == [fault, fault, None]


def test_bodies_that_end_early_are_seen_as_such(served: Served) -> None:
    served.internet.faults(Fault(kind="cut"), Fault(kind="reset"), Fault(kind="slow", seconds=0.02))
    path = "/wikipedia/w/api.php?action=parse&page=Harbour"
    with pytest.raises(httpx.RemoteProtocolError, match=r"incomplete|without sending complete"):
        get(served, path)
    with pytest.raises(httpx.ReadError):
        get(served, path)
    assert get(served, path).json()["parse"]["title"] == "Harbour"
    assert served.internet.mischief.left() == []


def test_limits_are_counted_over_a_window_and_at_a_time() -> None:
    limits = {"maps": Limit(requests=2, window=60, retry_after=None), "weather": Limit(parallel=1)}
    with serving(internet(limits=limits, delay=0.05)) as served:
        path = "/maps/maps/api/geocode/json?key=k&address=x"
        assert [get(served, path).status_code for _ in range(3)] == [200, 200, 429]

        async def two(services: Services) -> list[int]:
            url = f"{served.url}/weather/v1/forecast?latitude=1&longitude=2"
            replies = await asyncio.gather(services.http.get(url), services.http.get(url))
            return sorted(reply.status_code for reply in replies)

        assert over(served, two) == [200, 429]
        figures = get(served, "/report").json()
    assert figures["services"]["maps"] == {
        "requests": 3, "most_in_window": 3, "most_parallel": 1, "refused": 1,
    }  # fmt: skip
    assert figures["services"]["weather"]["most_parallel"] == 2
    (again,) = figures["answered_more_than_once"]
    assert again["times"] == 2


def test_a_saved_page_loses_its_frame() -> None:
    row = {
        "title": "Old name",
        "markdown": "Harbour - Wikipedia\n\n* [Main page](/wiki/Main_Page)\n\n# Harbour\n\n2 languages\n\n"
        '* [Deutsch](https://de.wikipedia.org/wiki/Hafen "Hafen")\n'
        '* [中文](https://zh-yue.wikipedia.org/wiki/X "X")\n\n[Coordinates](/wiki/C): 1 N\n\n'
        "From Wikipedia, the free encyclopedia\n\nA town.\n\n"
        'Retrieved from "<https://en.wikipedia.org/w/index.php?title=Harbour&oldid=123>"\n\n'
        "* This page was last edited on 21 March 2026, at 21:24 (UTC).\n",
    }
    article = article_of(row)
    assert (article.title, article.revision, article.edited) == (
        "Harbour",
        123,
        "2026-03-21T21:24:00Z",
    )
    assert [code for code, _, _ in article.languages] == ["de", "zh-yue"]
    assert article.body.split() == ["[Coordinates](/wiki/C):", "1", "N", "A", "town."]
    library = Library()
    library.add(article, saved_as=row["title"])
    assert library.find("old_name") == (article, "Old name")


def test_it_is_a_program_too(tmp_path: Path) -> None:
    (tmp_path / "leg.json").write_text(json.dumps(linear()))
    command = [sys.executable, "-m", "tests.fake_internet", "--legs", str(tmp_path)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as program:
        assert program.stdout is not None
        try:
            lines = iter(program.stdout.readline, "")
            assert next(lines) == "# 1 legs, 0 articles\n"
            figures = next(line for line in lines if line.startswith("# figures: "))
            services = httpx.get(figures.split()[2], trust_env=False).json()["services"]
            program.terminate()
            assert program.wait(10) == 0
        finally:
            program.kill()
    assert services["wikipedia"]["requests"] == 0


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("maps:429:3", Fault(kind="429", service="maps", times=3)),
        ("wikipedia:cut", Fault(kind="cut", service="wikipedia")),
    ],
)
def test_faults_are_given_on_the_command_line(text: str, meant: Fault) -> None:
    assert options().parse_args(["--legs", ".", "--fault", text]).fault == [meant]


@pytest.mark.parametrize(
    "text", ["maps", "map:429", "maps:418", "maps:429:often", "maps:429:1:1", "maps:429:"]
)
def test_a_fault_that_is_none_names_the_valid_words(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        options().parse_args(["--legs", ".", "--fault", text])
    said = " ".join(capsys.readouterr().err.split())
    assert (
        f"{text!r} is not SERVICE:KIND[:TIMES]; valid: services wikipedia, stocks, weather" in said
    )
    assert "kinds 429, 500, 403, slow, cut, reset; TIMES a number" in said


def test_the_help_says_what_each_option_is() -> None:
    found = {action.dest: action.help for action in options()._actions}
    assert all(found.values())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--legs", "/nope"], "argument --legs: there is no folder '/nope'"),
        (["--legs", ".", "--pages", "/nope.xz"], "argument --pages: there is no file '/nope.xz'"),
    ],
)
def test_what_is_not_there_is_refused(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        options().parse_args(words)
    assert said in capsys.readouterr().err
