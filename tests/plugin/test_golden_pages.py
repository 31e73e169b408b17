"""A wiki that doesn't tell where golden pages lead: no race is lost to it in silence."""

import json

from test_frozen_tools import LEG

#: The discard service's port, where nobody listens.
NOBODY = "http://127.0.0.1:9/w/api.php"


def test_a_wiki_that_is_out_of_reach_is_told_in_line_and_summary(project) -> None:
    for path in project.path.glob("legs/*/easy/*.json"):
        path.unlink()
    wire = json.loads(LEG.read_text().replace("wiki.aar.test", "en.wikipedia.org"))
    project.write_leg("linear/easy/001", wire)
    options = ("--aar-world=live", f"--aar-services=wikipedia={NOBODY}", "--aar-results=one")
    result = project.run("legs", *options, agent="Guess")
    (race,) = project.races("one")
    assert race["score"]["pages_unresolved"] > 0
    assert race["wiki_failure"].startswith("Wikipedia: the service can't be reached (ConnectError")
    result.stdout.fnmatch_lines(
        [
            "golden pages: in 1 race it is not known where all of them lead (pages_unresolved), and"
            " PVR may be too low: Wikipedia: the service can't be reached*"
        ]
    )


def test_the_sandbox_world_knows_its_pages(project) -> None:
    result = project.run("legs/linear", "--aar-results=one", agent="Guess")
    assert {race["wiki_failure"] for race in project.races("one")} == {""}
    result.stdout.no_fnmatch_line("golden pages:*")
