from dataclasses import replace

import httpx
import pytest

from pytest_aar.tools import LIVE, SANDBOX
from pytest_aar.tools.endpoints import Endpoints
from pytest_aar.tools.result import ToolFailure
from pytest_aar.tools.wiki_address import Article, article_of
from pytest_aar.world.render import page_url

EN = "https://en.wikipedia.org"
OWN = replace(LIVE, wikipedia="http://127.0.0.1:8080/mediawiki/api.php")
KIWIX = replace(LIVE, wikipedia="kiwix+http://kiwix.test:8080/content/wiki_en")


def article(url: str, endpoints: Endpoints = LIVE) -> Article:
    found = article_of(httpx.URL(url), endpoints)
    assert found is not None, url
    return found


@pytest.mark.parametrize(
    ("url", "title"),
    [
        ("/wiki/New%20York_City", "New York City"),
        ("/wiki/C%2B%2B", "C++"),
        ("/wiki/What%3F#Part", "What?"),
        ("/wiki/ISO_3166-2:GB", "ISO 3166-2:GB"),
        ("/wiki/Talk:Lima", "Talk:Lima"),
        ("/w/index.php?title=New_York", "New York"),
        ("/index.php?title=Lima&action=history", "Lima"),
        ("/w/index.php/Lima", "Lima"),
        ("/wiki/Special:Search?search=x", "Special:Search"),
        ("/w/index.php?search=x", "Special:Search"),
        ("/?title=Lima", "Lima"),
    ],
)
def test_a_title_is_read_from_every_form_of_address(url: str, title: str) -> None:
    found = article(f"{EN}{url}")
    assert (found.title, found.revision, found.page_id) == (title, None, None)
    assert found.url("A & B") == f"{EN}/wiki/A_%26_B"


@pytest.mark.parametrize(
    ("url", "title", "revision", "page_id"),
    [
        ("/?curid=736", "", None, "736"),
        ("/wiki/index.html?curid=736", "", None, "736"),
        ("/w/index.php?title=Lima&curid=736", "Lima", None, None),
        ("/w/index.php?oldid=55", "", "55", None),
        ("/wiki/Lima?oldid=55", "Lima", "55", None),
        ("/w/index.php?title=Lima&diff=56&oldid=prev", "Lima", "56", None),
        ("/w/index.php?title=Lima&diff=cur", "Lima", None, None),
        ("/wiki/Special:Permalink/55", "", "55", None),
        ("/wiki/Special:PermanentLink/55", "", "55", None),
        ("/wiki/Special:Diff/56", "", "56", None),
    ],
)
def test_pages_and_revisions_may_be_named_by_number(
    url: str, title: str, revision: str | None, page_id: str | None
) -> None:
    found = article(f"{EN}{url}")
    assert (found.title, found.revision, found.page_id) == (title, revision, page_id)
    assert found.name == (
        title or (f"revision {revision}" if revision else f"page number {page_id}")
    )


@pytest.mark.parametrize("query", ["oldid=x", "curid=1e9", "oldid=-1", "diff=", "oldid=1%7C2"])
def test_a_number_that_is_none_is_a_bad_argument(query: str) -> None:
    with pytest.raises(ToolFailure, match=r"url: \w+= takes a number, got") as failure:
        article(f"{EN}/w/index.php?{query}")
    assert failure.value.kind == "bad_arguments"


@pytest.mark.parametrize(
    ("url", "language", "variant"),
    [
        ("https://zh.wikipedia.org/wiki/A", "zh", None),
        ("https://zh.wikipedia.org/zh-hant/A", "zh", "zh-hant"),
        ("https://zh.m.wikipedia.org/zh-cn/A", "zh", "zh-cn"),
        ("https://zh.wikipedia.org/wiki/A?variant=zh-tw", "zh", "zh-tw"),
        ("https://sr.wikipedia.org/sr-ec/A", "sr", "sr-ec"),
        ("https://simple.wikipedia.org/wiki/A", "simple", None),
        ("https://simple.m.wikipedia.org/wiki/A", "simple", None),
        ("https://www.wikipedia.org/wiki/A", "en", None),
        ("https://wikipedia.org/wiki/A", "en", None),
        ("https://m.wikipedia.org/wiki/A", "en", None),
        ("https://be-tarask.wikipedia.org/wiki/A", "be-tarask", None),
    ],
)
def test_languages_and_scripts(url: str, language: str, variant: str | None) -> None:
    found = article(url)
    assert (found.language, found.title, found.variant) == (language, "A", variant)
    assert found.url("A") == f"https://{language}.wikipedia.org/wiki/A"


@pytest.mark.parametrize(
    "url",
    [
        f"{EN}/", f"{EN}/wiki/", f"{EN}/zh-hant/A", "https://sr.wikipedia.org/zh-cn/A",
        f"{EN}/api/rest_v1/page/html/Dog", f"{EN}/w/api.php?action=parse&page=Dog",
        "https://en.wiktionary.org/wiki/dog", "https://commons.wikimedia.org/wiki/File:A.jpg",
        "http://127.0.0.1:8080/wiki/A", "https://en.wikipedia.org:8080/wiki/A", "http://en.wikipedia.org:443/wiki/A",
    ],
)  # fmt: skip
def test_what_is_no_article_is_a_page_like_any_other(url: str) -> None:
    assert article_of(httpx.URL(url), LIVE) is None


@pytest.mark.parametrize(
    ("path", "title", "address"),
    [
        ("/mediawiki/index.php/New_York", "New York", "/mediawiki/index.php/B"),
        ("/mediawiki/wiki/A", "A", "/mediawiki/wiki/B"),
        ("/mediawiki/index.php?title=A", "A", "/mediawiki/wiki/B"),
    ],
)
def test_the_wiki_in_wikipedias_place_has_articles_of_its_own(
    path: str, title: str, address: str
) -> None:
    found = article(f"http://127.0.0.1:8080{path}", OWN)
    assert found.title == title
    assert found.url("B") == f"http://127.0.0.1:8080{address}"
    assert article(f"{EN}/wiki/A", OWN).url("B") == f"{EN}/wiki/B"
    assert article_of(httpx.URL(f"http://127.0.0.1:9090{path}"), OWN) is None


def test_a_kiwix_servers_addresses_are_articles() -> None:
    for path in ("Lima_(city)", "Lima%20(city)"):
        found = article(f"http://kiwix.test:8080/content/wiki_en/{path}", KIWIX)
        assert found.title == "Lima (city)"
    assert found.url("A B") == "http://kiwix.test:8080/content/wiki_en/A_B"
    assert article(f"{EN}/wiki/Lima", KIWIX).title == "Lima"
    for other in ("content/another/Lima", "content/wiki_en/", "search?pattern=x"):
        assert article_of(httpx.URL(f"http://kiwix.test:8080/{other}"), KIWIX) is None


def test_an_articles_address_is_written_as_wikipedia_writes_it() -> None:
    """What a tool answers is then the address that links lead to, whatever an agent has asked for."""
    written = "/wiki/L%27%C3%82ge_d%27or_(1930):_a*b,~c!d;e@f$g/h-i._%26%2B%3D%3F"
    title = "L'Âge d'or (1930): a*b,~c!d;e@f$g/h-i. &+=?"
    assert article(f"{EN}/wiki/Cat").url(title) == EN + written
    found = article(f"{EN}{written.replace('%27', chr(39))}")
    assert (found.title, found.url(found.title)) == (title, EN + written)


def test_the_sandboxes_addresses_keep_their_apostrophes() -> None:
    """Legs and recordings hold them; its pages link to them so."""
    own = article_of(httpx.URL("https://wiki.aar.test/wiki/Lago_O%27Higgins"), SANDBOX)
    assert own is not None
    address = own.url(own.title)
    assert address == "https://wiki.aar.test/wiki/Lago_O'Higgins"
    assert address.endswith(page_url("Lago O'Higgins"))


def test_only_old_kiwix_servers_have_articles_in_a_folder() -> None:
    """Elsewhere a title may begin so."""
    at = "http://kiwix.test:8080"
    assert article(f"{at}/content/wiki_en/A/B_testing", KIWIX).title == "A/B testing"
    old = LIVE.with_overrides({"wikipedia": f"kiwix+{at}/wiki_en"})
    assert article(f"{at}/wiki_en/A/Lima", old).title == "Lima"


def test_a_port_is_a_part_of_the_address() -> None:
    assert article("https://en.wikipedia.org:443/wiki/A").title == "A", "the scheme's own"
    moved = replace(LIVE, wikipedia="https://en.wikipedia.org:8080/w/api.php")
    assert article("https://en.wikipedia.org:8080/wiki/A", moved).url("B") == (
        "https://en.wikipedia.org:8080/wiki/B"
    )
    assert article_of(httpx.URL("http://127.0.0.1:8081/mediawiki/wiki/A"), OWN) is None
