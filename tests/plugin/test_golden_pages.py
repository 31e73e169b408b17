"""A wiki that doesn't tell where golden pages lead: no race is lost to it in silence."""

from collections.abc import Iterator

import pytest
from live_services import LiveServices, only_live_leg
from starlette.responses import PlainTextResponse


class NoLists(LiveServices):
    """A wiki that gives pages, and has none of its lists for anybody."""

    async def _counted(self, scope, receive, send) -> None:
        if b"action=query" in scope.get("query_string", b""):
            self.requests += 1
            await PlainTextResponse("no lists today", 403)(scope, receive, send)
        else:
            await super()._counted(scope, receive, send)


@pytest.fixture
def wiki() -> Iterator[LiveServices]:
    services = NoLists()
    yield services
    services.stop()


@pytest.fixture
def live_leg(project) -> None:
    only_live_leg(project)


@pytest.mark.usefixtures("wide")
@pytest.mark.usefixtures("live_leg")
def test_a_wiki_without_an_answer_is_told_in_line_and_summary(project, wiki) -> None:
    options = ("--aar-world=live", *wiki.options(), "--aar-results=one")
    result = project.run("legs", *options, agent="Visit")
    (race,) = project.races("one")
    assert race["score"]["pages_unresolved"] > 0
    assert "no lists today" in race["wiki_failure"]
    result.stdout.fnmatch_lines(
        [
            "golden pages: in 1 race it is not known where all of them lead (pages_unresolved), and"
            " PVR may be too low: Wikipedia*no lists today*"
        ]
    )


@pytest.mark.usefixtures("live_leg")
def test_a_race_that_reached_no_page_asks_no_wiki(project, wiki) -> None:
    options = ("--aar-world=live", *wiki.options(), "--aar-results=one")
    result = project.run("legs", *options, agent="Guess")
    (race,) = project.races("one")
    assert (race["score"]["pvr"], race["wiki_failure"], wiki.requests) == (0.0, "", 0)
    result.stdout.no_fnmatch_line("golden pages:*")


def test_the_sandbox_world_knows_its_pages(project) -> None:
    result = project.run("legs/linear", "--aar-results=one", agent="Guess")
    assert {race["wiki_failure"] for race in project.races("one")} == {""}
    result.stdout.no_fnmatch_line("golden pages:*")
