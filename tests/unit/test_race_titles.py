from handmade_legs import finish, leg, page, url, wire_leg

from pytest_aar.race.titles import golden_titles
from pytest_aar.score import score
from pytest_aar.trace import Finish, ToolCall, Trace
from pytest_aar.world import load

OLD, NEW = next(iter(load().redirects.items()))


def made(title: str):
    stops = [page(0, title, 3), finish(1, "v0", [0], 3)]
    return leg(wire_leg(stops, 3, seed_url=url(title)))


def test_in_the_sandbox_a_golden_page_counts_under_the_name_it_redirects_to() -> None:
    fetched = ToolCall(
        name="fetch_webpage", arguments={"url": url(NEW)}, ok=True, text="", final_url=url(NEW)
    )
    end, trace = Finish(ending="answered", answer=3), Trace(events=(fetched,))
    known = score(made(OLD), trace, end, titles=golden_titles(made(OLD), "sandbox"))
    assert (known.pvr, known.pages_unresolved) == (1.0, 0)
    unknown = score(made(OLD), trace, end, titles=golden_titles(made(OLD), "live"))
    assert (unknown.pvr, unknown.pages_unresolved) == (0.0, 1)


def test_a_page_that_is_none_stays_unresolved() -> None:
    assert golden_titles(made("No such page at all"), "sandbox") == {}
