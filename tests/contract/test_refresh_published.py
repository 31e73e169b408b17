"""A published leg over the saved articles of its pages: its wrong year is found, and its digit computed anew."""

from fake_internet import AnswerBook, Internet, Library, article_of, saved_rows, title_in
from served_internet import over

from pytest_aar.golden.renewal import renewal_of, renewed
from pytest_aar.leg_file import read_leg
from pytest_aar.lint import RULES, lint_leg
from pytest_aar.tools import call


def test_a_day_held_for_a_year_is_replaced_by_the_year_of_the_page(shared):
    leg = read_leg(shared / "data/aar/aar-dag/easy/sample_211.json")
    titles = {title_in(stop.page_url) for stop in leg.route_infos}
    library = Library()
    for number, row in enumerate(saved_rows(shared / "data/wiki/pages.jsonl.xz", titles), 1):
        library.add(article_of(row, number), saved_as=row["title"])

    async def talk(services):
        async def tool(name, arguments):
            return await call(name, arguments, services)

        return await renewal_of(leg, tool)

    found = over(Internet(library=library, book=AnswerBook.of([leg])), talk)
    assert [(miss.stop, miss.old, miss.new) for miss in found.drifted] == [(0, 8, 2007), (5, 0, 9)]
    assert (found.broken, found.stale, found.unverifiable) == ((), {}, (2,))
    assert found.hindrances(unverifiable_too=False) == ("the digit needs stop 2, unverifiable",)
    fresh = renewed(found, "2026-03-20")
    assert (leg.digit, fresh.digit) == (0, 9)
    assert "2007" in fresh.finish.expression
    rules = [RULES["not-a-year"], RULES["wrong-digit"], RULES["unknown-operand"]]
    assert [finding.rule for finding in lint_leg(leg, rules)] == ["not-a-year"]
    assert lint_leg(fresh, rules) == ()
