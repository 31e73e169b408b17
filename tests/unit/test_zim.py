"""Wikipedia from a ZIM file: articles, redirects, search, what is refused."""

import asyncio
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

import httpx
import pytest
from click.testing import CliRunner
from handmade_legs import finish, wire_leg
from handmade_legs import page as wire_page
from tool_calls import failure, value
from waiting import metered
from zim_files import ARTICLES, FRAME, METADATA, Page, Recipe, made_zim

from pytest_aar.cli import aar
from pytest_aar.cli.tool import command
from pytest_aar.errors import ConfigurationError
from pytest_aar.gateway.needed_tools import NeededTools
from pytest_aar.gateway.world_date import world_date
from pytest_aar.gateway.worlds import open_world
from pytest_aar.gateway.zim_world import check_wiki
from pytest_aar.option_values import Given, world
from pytest_aar.settings import Settings, world_label, zim_choice
from pytest_aar.tools import ToolResult, call
from pytest_aar.world import load
from pytest_aar.zim import ZimFile, lacking, open_zim
from pytest_aar.zim.file import DamagedFileError, RedirectLoopError
from pytest_aar.zim.page import content_of, refresh_target, snippet_of
from pytest_aar.zim.titles import bare_title, normal_title, paths_of

NAME = "wikipedia_en_all_nopic_2026-03.zim"
REFRESH = (
    '<html><head><meta http-equiv="refresh" content="0;URL=\'{}\'" /></head><body></body></html>'
)
REDIRECTING = (
    *("Kingdom_of_Norland", "The_Kingdom", "Realm", "ALPHA (CITY)"),
    "https://en.wikipedia.org/w/index.php?title=The_Kingdom",
)
PAGES = {
    "Realm": REFRESH.format("./Norland#History"),
    "Round": REFRESH.format("Trip"),
    "Trip": REFRESH.format("Round"),
    "Nowhere_else": REFRESH.format("Gone"),
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_zim(tmp_path_factory.mktemp("zim") / NAME, Recipe(pages=PAGES))


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file without full text index."""
    return made_zim(tmp_path_factory.mktemp("zim") / "bare.zim", Recipe(is_indexed=False))


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("SERPER_API_KEY", "TAVILY_API_KEY", "BRAVE_API_KEY", "SEARXNG_URL"):
        monkeypatch.delenv(name, raising=False)
    open_zim.cache_clear()
    yield
    open_zim.cache_clear()


def unexpected(request: httpx.Request) -> httpx.Response:
    raise AssertionError(f"this went out: {request.url}")


def ask(name: str, arguments: dict[str, object], file: Path, end: str = "+sandbox") -> ToolResult:
    async def over() -> ToolResult:
        async with open_world(f"zim:{file}{end}", Settings(record="off")) as opened:
            return await call(name, arguments, opened.services)

    return asyncio.run(over())


def fetch(title: str, file: Path, **more: object) -> ToolResult:
    url = title if "//" in title else f"https://en.wikipedia.org/wiki/{title}"
    return ask("fetch_webpage", {"url": url, **more}, file)


def test_an_article_is_read_as_from_wikipedia_itself(path: Path) -> None:
    result = fetch("Norland", path)
    assert result.ok
    assert (result.final_url, result.title) == ("https://en.wikipedia.org/wiki/Norland", "Norland")
    assert result.details["revision"] == 1234567
    for fact in (
        "| Capital | [Alpha](/wiki/Alpha_(city)) |",
        "| Population | 524,930 |",
        "[a rock](/wiki/AC/DC_Rock)",
        "[visitors](https://norland.test/visit)",
        "[São Zoë](/wiki/S%C3%A3o_Zo%C3%AB)",
        "1 History\n1.1 Kings\n2 Economy",
        "| 2020 | 31,400 |",
    ):
        assert fact in result.text
    for chrome in ("issued from", "infobox{", "s.js", "Languages:"):
        assert chrome not in result.text
    assert "Two." in fetch("Norland", path, section="Kings").text


@pytest.mark.parametrize(
    ("asked", "final"),
    [("Kingdom_of_Norland", "Norland"), ("The_Kingdom", "Norland"), ("Realm", "Norland"),
     ("alpha_(city)", "Alpha_(city)"), ("ALPHA (CITY)", "Alpha_(city)"), ("norland", "Norland"),
     ("AC/DC_Rock", "AC/DC_Rock"), ("AC%2FDC_Rock", "AC/DC_Rock"), ("S%C3%A3o_Zo%C3%AB", "S%C3%A3o_Zo%C3%AB"),
     ("50%25_rule", "50%25_rule"), ("iPhone", "IPhone"), ("Norland#Economy", "Norland"),
     ("https://en.m.wikipedia.org/wiki/Norland", "Norland"),
     ("https://en.wikipedia.org/w/index.php?title=The_Kingdom", "Norland")],
)  # fmt: skip
def test_a_title_leads_where_wikipedia_would_lead_it(path: Path, asked: str, final: str) -> None:
    result = fetch(asked, path)
    assert result.ok, result.text
    assert result.final_url == f"https://en.wikipedia.org/wiki/{final}"
    assert ("redirected_from" in result.details) == (asked in REDIRECTING)


def test_links_of_a_page_in_a_folder_are_followed_from_there(path: Path) -> None:
    assert "[Norland](/wiki/Norland)" in fetch("AC/DC_Rock", path).text


@pytest.mark.parametrize(
    ("title", "meant"),
    [("Norlan", "Norland"), ("Nurland", "Norland"), ("Nroland", "Norland"), ("norlandd", "Norland"),
     ("Kindom_off_Norlnd", "Kingdom of Norland"), ("Alpha_(citty)", "Alpha (city)"), ("Sao_Zoë", "São Zoë")],
)  # fmt: skip
def test_a_missing_page_names_titles_that_resemble_it(path: Path, title: str, meant: str) -> None:
    asked = normal_title(title)
    assert failure(fetch(title, path)) == (
        "not_found",
        f"{NAME} has no page {asked!r}; titles that resemble it: {meant}",
    )


@pytest.mark.parametrize("title", ["Granite_lighthouses_of_the_north", "Special:Search", "fr:Lima"])
def test_a_page_that_resembles_none_is_searched_for_only_where_words_can_be(
    path: Path, bare: Path, title: str
) -> None:
    asked = normal_title(title)
    told = f"{NAME} has no page {asked!r}; to find the right title, use web_search"
    assert failure(fetch(title, path)) == ("not_found", told)
    assert failure(fetch(title, bare)) == ("not_found", f"bare.zim has no page {asked!r}")


def test_a_near_title_is_found_in_a_file_of_many(tmp_path: Path) -> None:
    many = {f"Lim{first}{second}": "<p>x</p>" for first in "abc" for second in "abcdefgh"}
    articles = {**many, "Lima": "<p>A city.</p>"}
    file = ZimFile(
        made_zim(tmp_path / "many.zim", Recipe(articles=articles, redirects={}, is_indexed=False))
    )
    assert file.near("Limma")[0] == "Lima"
    assert len(file.near("Limma")) <= 5


def test_redirects_that_lead_nowhere_are_the_files_fault(path: Path) -> None:
    kind, message = failure(fetch("Round", path))
    assert kind == "upstream"
    assert f"redirects of {NAME} lead nowhere: Round -> Trip -> Round" in message
    assert failure(fetch("Nowhere_else", path))[0] == "not_found"


def test_redirects_between_entries_are_followed_ten_times_and_no_more(path: Path) -> None:
    class Hop:
        is_redirect = True

        def __init__(self, number: int) -> None:
            self.number, self.path = number, f"R{number}"

        def get_redirect_entry(self) -> "Hop":
            return Hop(self.number + 1)

    with pytest.raises(RedirectLoopError, match=r"^R0 -> R1 -> .* -> R11$"):
        ZimFile(path)._final(None, Hop(0))


def test_another_wiki_and_other_pages_are_denied(path: Path) -> None:
    kind, message = failure(fetch("https://fr.wikipedia.org/wiki/Lima", path))
    assert kind == "denied"
    assert f"{NAME} holds en.wikipedia.org alone, and this page is on fr.wikipedia.org" in message
    assert "get wikipedia_fr_all_nopic from https://download.kiwix.org/" in message
    assert "aar-contact" not in message
    kind, message = failure(fetch("https://en.wikipedia.org/w/load.php?x", path))
    assert (kind, message) == (
        "denied",
        f"only articles are in {NAME}, under https://en.wikipedia.org/wiki/TITLE",
    )
    kind, message = failure(fetch("https://en.wikipedia.org/w/index.php?curid=7", path))
    assert (kind, f"pages have no numbers in {NAME}" in message) == ("not_found", True)


def test_an_old_revision_is_not_in_a_file(path: Path) -> None:
    url = "https://en.wikipedia.org/w/index.php?title=Norland&oldid=5"
    kind, message = failure(fetch(url, path))
    assert kind == "not_found"
    assert f"one revision of each article in {NAME}, that of 2026-03-12" in message


@pytest.mark.parametrize(
    ("query", "first"),
    [("granite lighthouses", "Norland"), ("trades fish harbour", "Alpha (city)"), ("telephone", "IPhone")],
)  # fmt: skip
def test_a_search_without_key_goes_over_the_files_text(path: Path, query: str, first: str) -> None:
    found = value(ask("web_search", {"query": query}, path, end=""))
    assert found["results"][0]["title"] == first
    assert found["results"][0]["url"] == f"https://en.wikipedia.org/wiki/{first.replace(' ', '_')}"
    assert found["results"][0]["snippet"]
    assert found["count"] == len(found["results"])


def test_a_file_without_an_index_is_searched_by_titles(bare: Path) -> None:
    found = value(ask("web_search", {"query": "kingdom of"}, bare))
    assert [hit["title"] for hit in found["results"]] == ["Norland"]
    assert value(ask("web_search", {"query": "granite lighthouses"}, bare))["count"] == 0


def test_odd_queries_find_something_or_nothing(path: Path) -> None:
    for query in ('"', "AND OR NOT", "(", "norland*", "a:b -c +d", "\x00"):
        assert ask("web_search", {"query": query}, path).ok


def test_a_search_with_a_key_goes_to_the_web(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERPER_API_KEY", "k")
    hit = {"title": "From the web", "link": "https://x.test/"}

    def web(request: httpx.Request) -> httpx.Response:
        assert request.url.host == "google.serper.dev"
        return httpx.Response(200, json={"organic": [hit]})

    async def over() -> ToolResult:
        road = httpx.MockTransport(web)
        async with open_world(f"zim:{path}", Settings(record="off"), transport=road) as opened:
            return await call("web_search", {"query": "x"}, opened.services)

    assert value(asyncio.run(over()))["results"][0]["title"] == "From the web"


def test_all_else_comes_from_the_sandbox_when_asked_for(path: Path) -> None:
    assert (
        value(ask("maps_geocode", {"address": "Lima"}, path))["formatted_address"] == "Lima, Peru"
    )
    assert failure(fetch("https://example.org/", path))[0] == "blocked"


def test_all_else_is_live_otherwise(path: Path) -> None:
    kind, message = failure(ask("maps_geocode", {"address": "Lima"}, path, end=""))
    assert (kind, "GOOGLE_API_KEY" in message) == ("denied", True)


def world_hash(file: Path, end: str = "", **settings: str) -> str | None:
    async def over() -> str | None:
        async with open_world(f"zim:{file}{end}", Settings(**settings)) as opened:
            return opened.world_hash

    return asyncio.run(over())


def test_the_hash_tells_the_file_by_name_flavour_date_and_its_own_checksum(
    path: Path, bare: Path
) -> None:
    stored = path.read_bytes()[-16:].hex()
    assert world_hash(path) == f"wikipedia_en_all_nopic_2026-03-12:{stored}"
    assert world_hash(path, "+sandbox").startswith(f"{world_hash(path)}+")
    assert world_hash(bare) != world_hash(path)


def test_recordings_are_replayed_without_the_file(tmp_path: Path) -> None:
    gone = tmp_path / "gone.zim"
    assert world_hash(gone, record="none") is None
    with pytest.raises(ConfigurationError, match=r"there is no file .*gone\.zim"):
        world_hash(gone, record="once")


REFUSED = {
    "mini by flavour": ({"Flavour": "mini"}, "wikipedia_en_all_nopic"),
    "mini by tags": ({"Flavour": "", "Tags": "wikipedia;_details:no"}, "wikipedia_en_all_nopic"),
    "mini by name": ({"Flavour": "", "Name": "wikipedia_fr_all_mini"}, "wikipedia_fr_all_nopic"),
    "another project": ({"Name": "wiktionary_en_all", "Tags": "wiktionary"}, "something else (wiktionary_en_all)"),
    "no language": ({"Name": "", "Language": "tlh"}, "does not tell which Wikipedia it holds"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_files_that_no_leg_can_be_raced_over_are_refused(tmp_path: Path, case: str) -> None:
    metadata, message = REFUSED[case]
    recipe = Recipe(articles={}, redirects={}, metadata=metadata, is_indexed=False)
    file = made_zim(tmp_path / "some.zim", recipe)
    with pytest.raises(ConfigurationError, match=re.escape(message)) as refusal:
        open_zim(file)
    assert str(file) in str(refusal.value)
    assert "https://download.kiwix.org/zim/wikipedia/" in str(refusal.value)
    assert ("'mini' file" in str(refusal.value)) == case.startswith("mini")


@pytest.mark.parametrize(
    ("metadata", "host"),
    [({"Source": "https://simple.wikipedia.org/"}, "simple.wikipedia.org"),
     ({"Name": "wikipedia_de_all"}, "de.wikipedia.org"),
     ({"Name": "wikipedia_en_simple_all"}, "simple.wikipedia.org"),
     ({"Name": "", "Language": "fra,eng"}, "fr.wikipedia.org")],
)  # fmt: skip
def test_the_file_tells_its_wiki(tmp_path: Path, metadata: dict[str, str], host: str) -> None:
    recipe = Recipe(articles={}, redirects={}, metadata=metadata, is_indexed=False)
    assert open_zim(made_zim(tmp_path / "some.zim", recipe)).edition.host == host


@pytest.mark.parametrize("kept", [0, 40, -100])
def test_a_file_that_is_none_says_so(path: Path, tmp_path: Path, kept: int) -> None:
    broken = tmp_path / "broken.zim"
    broken.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(
        ConfigurationError, match=r"broken\.zim is no whole ZIM file \(.+\): a download"
    ):
        open_zim(broken)


def test_a_damaged_article_is_the_files_fault(bare: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.zim"
    whole = bare.read_bytes()
    start = whole.index(b"\x28\xb5\x2f\xfd") + 8  # into the first compressed cluster
    damaged.write_bytes(whole[:start] + b"\xff" * 52 + whole[start + 52 :])
    for asked in (
        ask("fetch_webpage", {"url": "https://en.wikipedia.org/wiki/Norland"}, damaged),
        ask("web_search", {"query": "norland"}, damaged),
    ):
        kind, message = failure(asked)
        assert kind == "upstream"
        assert "damaged.zim is damaged (" in message
        assert "get it again" in message
        assert "Serper" not in message
    assert message.startswith("damaged.zim is damaged (")


def test_the_files_fault_is_no_lost_race_unless_a_later_page_comes(
    bare: Path, tmp_path: Path
) -> None:
    from little_world import LEG  # noqa: PLC0415 - one test's

    damaged = tmp_path / "damaged.zim"
    whole = bare.read_bytes()
    start = whole.index(b"\x28\xb5\x2f\xfd") + 8
    damaged.write_bytes(whole[:start] + b"\xff" * 52 + whole[start + 52 :])
    order = SimpleNamespace(tapes=SimpleNamespace(tools=None))
    session = SimpleNamespace(leg=LEG, failing={}, faulty_keys=set(), order=order)
    needed = NeededTools(session, None)  # type: ignore[arg-type]  # as much of one as it takes
    for file, said in ((damaged, "damaged.zim is damaged ("), (bare, "")):
        with metered() as meter:
            needed.judged("fetch_webpage", fetch("Norland", file), meter)
        assert session.failing.get("fetch_webpage", "").startswith(said)
        assert bool(session.failing) is bool(said)


def test_redirects_that_lead_nowhere_are_noted_as_the_files_fault(path: Path) -> None:
    with metered() as meter:
        fetch("Round", path)
    assert "lead nowhere" in meter.outage


#: What libzim's Python side raises over bytes that are not what they should be.
FAULTS = (
    RuntimeError("Error reading offset 77"),
    UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
    KeyError("Cannot find entry"),
    IndexError("entry index out of range"),
)


def raising(fault: Exception) -> Callable[..., NoReturn]:
    def read(*_: object) -> NoReturn:
        raise fault

    return read


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
@pytest.mark.parametrize("index", ["_suggested", "_searched"])
def test_a_damaged_index_is_the_files_fault(
    path: Path, monkeypatch: pytest.MonkeyPatch, fault: Exception, index: str
) -> None:
    file = ZimFile(path)
    monkeypatch.setattr(f"pytest_aar.zim.file.{index}", raising(fault))
    with pytest.raises(DamagedFileError, match=r"is damaged \(.+\): compare it with the checksum"):
        file.near("zzz")
    kind, message = failure(fetch("Nowhere_at_all", path))
    assert (kind, f"{NAME} is damaged (" in message) == ("upstream", True)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
def test_a_file_whose_head_is_damaged_says_so(
    path: Path, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    monkeypatch.setattr("libzim.reader.Archive", raising(fault))
    with pytest.raises(ConfigurationError, match=r"is no whole ZIM file \(.+\): a download"):
        ZimFile(path)


def test_all_that_is_missing_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    monkeypatch.setitem(sys.modules, "libzim", None)
    told = lacking(tmp_path / "x.zim")
    assert told.startswith(f"libzim is not installed, which zim:{tmp_path / 'x.zim'} needs: pip")
    assert f"; and there is no file '{tmp_path / 'x.zim'}': get one" in told


def test_without_libzim_the_extra_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "libzim", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(ConfigurationError, match=r"pip install 'pytest-aar\[zim\]'.*GPL"):
        open_zim(path)


def test_a_leg_of_another_wiki_is_refused_before_its_race(path: Path) -> None:
    from little_world import LEG  # noqa: PLC0415 - one test's

    choice = zim_choice(f"zim:{path}")
    with pytest.raises(
        ConfigurationError, match=r"little/one starts on wiki\.aar\.test, and .* holds en\.wikip"
    ):
        check_wiki(choice, Settings(record="off"), LEG)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_reads_by_itself(path: Path) -> None:
    file = ZimFile(path)
    assert file.find("Norland") is not None
    before = file._archive
    child = os.fork()
    if child == 0:
        os._exit(0 if file.find("The Kingdom") is not None and file._archive is not before else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert file._archive is before


@pytest.mark.parametrize("end", ["", "+sandbox"])
def test_the_option_takes_paths_from_where_they_were_given(end: str) -> None:
    def chosen(text: str) -> str:
        return world(Given(text=text, source="--aar-world", folder=Path("/here")))

    assert chosen(f"zim:some/w.zim{end}") == f"zim:/here/some/w.zim{end}"
    assert world_label(chosen(f"zim:/x/w.zim{end}")) == f"zim:w.zim{end}"
    assert (chosen("auto"), chosen("live")) == ("auto", "live")
    for wrong in ("moon", f"zim:{end}", "ZIM:x"):
        with pytest.raises(
            ConfigurationError,
            match=r"valid: auto, sandbox, live, zim:PATH, zim:PATH\+sandbox \(PATH of a ZIM",
        ):
            chosen(wrong)


def test_old_files_have_articles_in_a_namespace_of_their_own() -> None:
    paths = list(paths_of(normal_title("what  is_it?"), has_old_namespaces=True))
    assert paths[:2] == ["A/What_is_it?", "A/What_is_it?.html"]
    assert "A/What_is_it%3F.html" in paths
    assert bare_title("A/What_is_it%3F.html", has_old_namespaces=True) == "What is it?"
    html = FRAME.format(
        title="T", content="<a href='../A/Some_page.html'>x</a> <img src='../I/m/x.png'>"
    )
    assert '<a href="/wiki/Some_page">' in content_of(html, "A/T", prefix="A/").html
    assert refresh_target(REFRESH.format("../A/T"), "A/S") == "A/T"


def test_a_big_page_with_a_refresh_is_a_page() -> None:
    assert refresh_target(REFRESH.format("T") + "x" * 5000, "S") is None


def test_a_snippet_is_the_first_paragraph_that_says_something() -> None:
    html = FRAME.format(title="T", content=f"<p class='mw-empty-elt'></p><p>{'word ' * 90}</p>")
    assert re.fullmatch(r"(word )+\.\.\.", snippet_of(html))
    assert snippet_of(FRAME.format(title="T", content="<ul><li>x</li></ul>")) == ""


def test_the_command_reads_from_a_file(path: Path, tmp_path: Path) -> None:
    asked = ("fetch_webpage", '{"url": "https://en.wikipedia.org/wiki/Realm"}', "--world")
    done = CliRunner().invoke(command, [*asked, f"zim:{path}"])
    assert (done.exit_code, "524,930" in done.output) == (0, True)
    for wrong, told in (
        ("zim:", "not valid"),
        (f"zim:{tmp_path}", "is a folder: zim:PATH names one file"),
        (f"zim:{tmp_path}/no.zim", "there is no file"),
    ):
        assert told in str(CliRunner().invoke(command, [*asked, wrong]).exception)


@pytest.mark.parametrize("end", ["", "+sandbox"])
def test_a_refreshed_leg_is_of_the_files_day(path: Path, tmp_path: Path, end: str) -> None:
    norland = wire_page(0, "Norland", 524_931, extraction_target="Population")
    norland["page_url"] = seed = "https://en.wikipedia.org/wiki/Norland"
    norland["bridge"]["target_url"] = "https://en.wikipedia.org/wiki/Alpha_(city)"
    wire = wire_leg([norland, finish(1, "(524931) % 10", [0], 1)], 1, seed_url=seed)
    file = tmp_path / "leg.json"
    file.write_text(json.dumps(wire))
    asked = ["refresh", str(file), "--write", "--world", f"zim:{path}{end}"]
    done = CliRunner().invoke(aar, asked)
    assert (done.exit_code, done.exception) == (0, None), done.output
    fresh = json.loads(file.read_text())
    assert (fresh["passcode"], fresh["generated_at"]) == (0, METADATA["Date"])


@pytest.mark.parametrize(
    ("world", "told", "date"),
    [
        ("sandbox", {}, load().date),
        ("live", {}, "2026-11-30T11:05:00Z"),
        ("live", {"wiki_at": "2026-03-20T12:00:00Z"}, "2026-03-20T12:00:00Z"),
    ],
)
def test_other_worlds_have_dates_too(world: str, told: dict[str, str], date: str) -> None:
    now = datetime.fromisoformat("2026-11-30T12:05:00+01:00")
    assert world_date(Settings(world=world, **told), now) == date


def test_a_file_that_tells_no_day_is_of_today(tmp_path: Path) -> None:
    file = made_zim(tmp_path / "w.zim", Recipe(metadata={"Date": ""}, is_indexed=False))
    now = datetime(2026, 11, 30, tzinfo=UTC)
    assert world_date(Settings(world=f"zim:{file}"), now) == "2026-11-30T00:00:00Z"


def test_titles_are_looked_up_many_at_once(path: Path) -> None:
    async def over() -> dict[str, object]:
        async with open_world(f"zim:{path}", Settings(record="off")) as opened:
            url = "https://en.wikipedia.org/w/api.php"
            asked = {"action": "query", "titles": "The_Kingdom|Norland|Nowhere"}
            return (await opened.services.http.get(url, params=asked)).json()["query"]

    found = asyncio.run(over())
    assert found["redirects"] == [{"from": "The Kingdom", "to": "Norland"}]
    assert found["pages"][2] == {"ns": 0, "title": "Nowhere", "missing": True}


def test_a_saved_article_comes_out_whole(shared: Path, tmp_path: Path) -> None:
    """One of the 1,372 saved articles, put into a file as mwoffliner would: text, figures and links survive."""
    import lzma  # noqa: PLC0415 - one test's

    with lzma.open(shared / "data/wiki/pages.jsonl.xz", "rt", encoding="utf-8") as lines:
        saved = json.loads(next(line for line in lines))
    path = saved["url"].rpartition("/")[2]
    link = re.compile(r"\[([^\[\]]+)\]\(/wiki/([\w%,.()-]+)[^()]*\)")
    body = saved["markdown"].partition(f"# {saved['title']}\n")[2] or saved["markdown"]
    paragraphs = [text for text in body.split("\n\n") if link.search(text) and "|" not in text][:40]
    linked = [link.sub(r'<a href="./\2">\1</a>', text) for text in paragraphs]
    html = "".join(f"<p>{text}</p>" for text in linked)
    file = made_zim(tmp_path / "one.zim", Recipe(articles={path: html}, redirects={}))
    text = fetch(path, file).text
    links = {found.groups() for paragraph in paragraphs for found in link.finditer(paragraph)}
    assert len(links) > 20
    missing = [name for name, target in links if f"[{name}](" not in text]
    assert not missing
    words = set(re.findall(r"\w+", link.sub(r"\1", " ".join(paragraphs))))
    assert len(words - set(re.findall(r"\w+", text))) < len(words) / 100


def test_the_writer_of_the_tests_makes_what_it_says(path: Path) -> None:
    file = ZimFile(path)
    assert {file.find(name).path for name in ARTICLES} == set(ARTICLES)
    assert Page("P", "T", "x").get_title() == "T"
