"""The fixtures: a leg, an agent, a world, a course, a race.

Only pytest and the standard library at import: the plugin module imports this at every start of pytest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_aar.agents import Agent
    from pytest_aar.gateway import RaceSession
    from pytest_aar.leg import Leg
    from pytest_aar.race import Race, WorldInUse


@pytest.fixture
def aar_leg(request: pytest.FixtureRequest) -> Leg:
    """The leg of this item, read again and compared with what was collected."""
    from pytest_aar import leg_file, session  # noqa: PLC0415 - only for tests that use it
    from pytest_aar.errors import InfrastructureError  # noqa: PLC0415 - only for tests that use it

    ref = session.leg_of(request.node)
    if ref is None:
        pytest.fail("aar_leg: mark the test with @pytest.mark.aar_legs(PATH, ...)", pytrace=False)
    leg = leg_file.read_leg(ref.path, legs_root=session.settings_of(request.config).legs_root)
    if leg.sha256 != ref.sha256:
        raise InfrastructureError(f"{ref.path} was changed after its collection; run pytest again")
    return leg


@pytest.fixture
def aar_agent(request: pytest.FixtureRequest) -> Agent:
    """The agent chosen by `--aar-agent`; override it in a conftest to race an object of yours."""
    from pytest_aar import session  # noqa: PLC0415 - only for tests that use it

    return session.track_of(request.config).agent()


@pytest.fixture
def aar_world(request: pytest.FixtureRequest, aar_leg: Leg) -> WorldInUse:
    """The world that answers the tools of this leg."""
    from pytest_aar import session  # noqa: PLC0415 - only for tests that use it

    return session.track_of(request.config).world(aar_leg)


@pytest.fixture
def aar_course(request: pytest.FixtureRequest, aar_leg: Leg) -> Iterator[RaceSession]:
    """A race opened on the gateway for the test itself: call tools by hand, then look at its trace."""
    from pytest_aar import session  # noqa: PLC0415 - only for tests that use it

    with session.track_of(request.config).open_course(aar_leg) as opened:
        yield opened


@pytest.fixture
def aar_race(request: pytest.FixtureRequest, aar_leg: Leg, aar_agent: Agent) -> Race:
    """The finished race of this leg; tests on the same leg, agent, model and repeat share one.

    Also on different workers of pytest-xdist: the second waits for the first and takes over its race.
    An infrastructure error is raised here, in setup: it is an error of the test, not a failure. Once the
    run's budget is used up, tests are skipped here. A contaminated race is no error here: the leg's own item
    fails, and so does the run.
    """
    from pytest_aar import session  # noqa: PLC0415 - only for tests that use it
    from pytest_aar.race import Grounds  # noqa: PLC0415 - only for tests that use it

    ref = session.leg_of(request.node)
    track = session.track_of(request.config)
    grounds = Grounds(
        root=request.config.rootpath,
        file=ref.path if ref else None,
        validity=ref.validity if ref else "",
    )
    race = track.race(aar_leg, aar_agent, repeat=ref.repeat if ref else 1, grounds=grounds)
    request.node.stash[session.RACED] = True
    _set_properties(request, race)
    if race.skipped:
        pytest.skip(f"aar: {race.record.detail}")
    if race.problem is not None:
        raise race.problem
    return race


def _set_properties(request: pytest.FixtureRequest, race: Race) -> None:
    from pytest_aar import session  # noqa: PLC0415 - only for tests that use it
    from pytest_aar.reports.junit import properties, with_properties  # noqa: PLC0415 - only for tests that use it

    where = session.settings_of(request.config).junit_properties
    found = properties(race.record)
    item = request.node
    if where == "testcase":
        # replaced, not added: a rerun of this item must not pile them up
        item.user_properties[:] = with_properties(item.user_properties, found)
    elif where == "system-out":
        item.add_report_section(
            "setup", "stdout", "\n".join(f"{name}={value}" for name, value in found)
        )
