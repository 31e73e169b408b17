"""Published legs on the tests' own internet: every form of chain, and golden routes over saved articles."""

import json
import os
from collections import Counter, defaultdict

from fake_internet import (
    AnswerBook,
    Internet,
    Library,
    article_of,
    saved_rows,
    title_in,
)
from perfect_trace import right_answer
from served_internet import over

from pytest_aar.golden import pages
from pytest_aar.golden.chains import run_chain
from pytest_aar.golden.facts import extracted
from pytest_aar.golden.records import same
from pytest_aar.leg_file import read_leg
from pytest_aar.score import score
from pytest_aar.tools import call
from pytest_aar.trace import ToolCall, Trace

#: Distinct chains of each form that are run: every sixteenth of the many, all of the few; programs are slow.
_EACH = {"poi_count": 16, "elevation": 16, "place_rating": 4}
_PROGRAMS = ("days", "converted", "merged")
#: Every chain, and every page that is saved.
_ALL = "AAR_TEST_ALL_PAGES" in os.environ


def form(stop):
    return tuple((step.tool, step.output_key, tuple(sorted(step.arguments))) for step in stop.chain)


def test_chains_of_all_sixteen_forms_yield_their_golden_values(shared):
    legs = [read_leg(path) for path in sorted((shared / "data/aar").rglob("*.json"))]
    book = AnswerBook.of(legs)
    distinct = {
        repr([(step.tool, step.arguments) for step in stop.chain]): stop
        for leg in legs
        for stop in leg.roadblocks
    }
    forms = defaultdict(list)
    for stop in distinct.values():
        forms[form(stop)].append(stop)
    assert len(forms) == 16
    run = [
        stop
        for stops in forms.values()
        for key in [stops[0].chain[-1].output_key]
        for stop in (
            stops if _ALL else stops[:2] if key in _PROGRAMS else stops[:: _EACH.get(key, 1)]
        )
    ]

    async def talk(services):
        async def tool(name, arguments):
            return await call(name, arguments, services)

        return [(stop, await run_chain(stop.chain, tool)) for stop in run]

    yielded = over(Internet(book=book), talk)
    odd = [
        (stop.chain[-1].arguments, stop.value)
        for stop, value in yielded
        if not same(stop.value, value)
    ]
    # One golden value is an error reply; to the other questions legs give two answers, and the book has one.
    replies = [row for row in odd if isinstance(row[1], dict)]
    assert len(replies) == 1
    contested = {" ".join(key[1:]) for key in book.contested}
    others = [asked for asked, golden in odd if not isinstance(golden, dict)]
    assert {" ".join(map(str, asked.values())).casefold() for asked in others} <= contested
    assert len(book.contested) == 9
    assert len(run) > 500


def covered(shared):
    """Legs whose pages are all saved, and these pages as they were saved, by title.

    Every eighth of the 53: a page takes 0.1 s. AAR_TEST_ALL_PAGES=1 takes them all.
    """
    ids = json.loads((shared / "data/wiki/covered-legs.json").read_text())
    assert len(ids) == 53
    if not _ALL:
        ids = ids[::8]
    legs = [read_leg(shared / f"data/aar/{leg_id}.json") for leg_id in ids]
    titles = {title_in(stop.page_url) for leg in legs for stop in leg.route_infos}
    saved = {row["title"]: row for row in saved_rows(shared / "data/wiki/pages.jsonl.xz", titles)}
    assert len(saved) == len(titles)
    return legs, saved


def fetched_pages(legs, saved):
    """Title -> what `fetch_webpage` gives for its address, each page once."""
    library = Library()
    for number, row in enumerate(saved.values(), 1):
        library.add(article_of(row, number), saved_as=row["title"])
    urls = {title_in(stop.page_url): stop.page_url for leg in legs for stop in leg.route_infos}

    async def talk(services):
        return {
            title: await call("fetch_webpage", {"url": url}, services)
            for title, url in urls.items()
        }

    return over(Internet(library=library), talk)


def who_follows_the_golden_route_has_seen_all_pages(legs, fetched):
    renamed = 0
    for leg in legs:
        found = [(stop.page_url, fetched[title_in(stop.page_url)]) for stop in leg.route_infos]
        calls = tuple(
            ToolCall(
                name="fetch_webpage", arguments={"url": url}, ok=page.ok, text=page.text,
                final_url=page.final_url, title=page.title,
            )
            for url, page in found
        )  # fmt: skip
        renamed += sum(title_in(url) != page.title for url, page in found)
        assert score(leg, Trace(events=calls), right_answer(leg)).pvr == 1, leg.leg_id
    assert score(leg, Trace(events=calls[1:]), right_answer(leg)).pvr < 1
    assert renamed > 0  # redirects were among them


def golden_facts_are_found_as_often_as_in_the_saved_articles(legs, saved, fetched):
    """The saved texts hold the frame around the article as well, categories and menus: docs/page-text.md."""
    counted: Counter[str] = Counter()
    framed = set()
    for stop in (stop for leg in legs for stop in leg.route_infos):
        title, fact = title_in(stop.page_url), (stop.value, stop.value_type)
        whole = saved[title]["markdown"]
        in_ours, in_saved = pages.holds(fetched[title].text, *fact), pages.holds(whole, *fact)
        counted.update({"facts": 1, "ours": in_ours, "saved": in_saved})
        if in_saved and not in_ours:
            assert not pages.holds(article_of(saved[title]).body, *fact), (title, stop.value)
            framed.add((title, stop.value))
    assert counted["saved"] - counted["ours"] == len(framed)
    assert framed <= {("Rome", "8th century BC")}
    assert counted["ours"] >= 0.94 * counted["facts"] > 0
    if _ALL:
        assert counted == {"facts": 266, "saved": 252, "ours": 251}


def facts_that_rules_extract_are_the_golden_ones(legs, fetched):
    """About two in five; the others are prose. What differs is a year where a day of its month was kept."""
    counted: Counter[str] = Counter()
    for stop in (stop for leg in legs for stop in leg.route_infos):
        value = extracted(fetched[title_in(stop.page_url)].text, stop)
        if value is not None:
            counted["same" if same(stop.value, value) else "other"] += 1
            assert same(stop.value, value) or (stop.value <= 31 and value >= 1000), stop.target
    assert counted["same"] > 0
    if _ALL:
        assert counted == {"same": 107, "other": 13}


def links_to_follow_are_on_the_pages(legs, saved, fetched):
    there: Counter[str] = Counter()
    for leg in legs:
        for stop in leg.route_infos:
            if stop.transition != "link_follow" or stop.link_url in (None, stop.page_url):
                continue
            path = stop.link_url.partition("wikipedia.org")[2]
            title = title_in(stop.page_url)
            assert f"]({path} " in saved[title]["markdown"], (leg.leg_id, stop.index)
            there["on the page" if f"]({path})" in fetched[title].text else "navigation box"] += 1
    # Boxes of links to related pages are no part of the text that an agent gets.
    assert there["on the page"] >= 0.85 * there.total() > 0
    if _ALL:
        assert there == {"on the page": 56, "navigation box": 3}


def test_golden_routes_over_saved_articles(shared):
    """One test: with several workers, each would convert the pages again."""
    legs, saved = covered(shared)
    fetched = fetched_pages(legs, saved)
    who_follows_the_golden_route_has_seen_all_pages(legs, fetched)
    golden_facts_are_found_as_often_as_in_the_saved_articles(legs, saved, fetched)
    facts_that_rules_extract_are_the_golden_ones(legs, fetched)
    links_to_follow_are_on_the_pages(legs, saved, fetched)
