"""The plugin's switchboard: each hook calls one function elsewhere, imported when it is needed.

At import only the standard library, pytest, the table of options and the fixtures' signatures.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

import pytest

from pytest_aar.fixtures import aar_agent, aar_course, aar_leg, aar_race, aar_world
from pytest_aar.options import OPTIONS

if TYPE_CHECKING:
    import warnings
    from collections.abc import Generator
    from pathlib import Path

    from pytest_aar.collect import LegFile

__all__ = ["aar_agent", "aar_course", "aar_leg", "aar_race", "aar_world"]

#: Templates of roadblocks; a copy of leg.templates' names (a test compares), which costs an import less.
TEMPLATES = (
    "country_area",
    "country_population",
    "crypto_price",
    "crypto_volume",
    "custom",
    "date_computation",
    "diamond_merge",
    "geocode_directions_duration",
    "geocode_distance",
    "geocode_elevation",
    "geocode_weather_historical",
    "geocode_weather_precipitation",
    "geocode_weather_snowfall",
    "geocode_weather_sunshine",
    "math_conversion",
    "place_rating",
    "poi_count",
    "stock_price",
    "stock_volume",
)
_MARKERS = (
    "aar: a leg of The Amazing Agent Race",
    "aar_legs(*paths): race this test over the legs in these files and folders (pytest-aar)",
    "aar_linear: a leg without a diamond",
    "aar_dag: a leg with diamonds",
    "aar_easy: a leg of level easy",
    "aar_medium: a leg of level medium",
    "aar_hard: a leg of level hard",
    "aar_extreme: a leg of level extreme",
    "aar_smoke: a leg of the small set for runs that cost more (metadata.smoke)",
    "aar_stable: a leg whose digit does not depend on values that change",
    "aar_drifting: a leg whose digit depends on values that change (counts, ratings, prices of travel)",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register every option and its ini twin from the one table."""
    group = parser.getgroup("aar", "The Amazing Agent Race")
    for option in OPTIONS:
        # default None, not the table's: only None tells "not given" from "given as the default"
        keywords: dict[str, Any] = {"dest": option.ini, "default": None, "help": option.help}
        if option.flag:
            group.addoption(option.cli, action="store_const", const="true", **keywords)
        else:
            action = "append" if option.many else "store"
            group.addoption(option.cli, action=action, metavar=option.metavar, **keywords)
        kind: Literal["linelist", "string"] = "linelist" if option.many else "string"
        parser.addini(option.ini, option.help, type=kind, default=None)


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers; check the options before anything runs, if there are any."""
    for marker in (
        *_MARKERS,
        *(f"aar_template_{name}: a leg with such a roadblock" for name in TEMPLATES),
    ):
        config.addinivalue_line("markers", marker)
    if any(_is_given(config, option.ini) for option in OPTIONS):
        from pytest_aar import hooks  # noqa: PLC0415 - start-up stays cheap

        hooks.configure(config)
    elif not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Relay(config), "aar-relay")


def _is_given(config: pytest.Config, name: str) -> bool:
    return config.getoption(name) is not None or bool(config.getini(name))


def pytest_report_header(config: pytest.Config) -> str | None:
    """One line, when an agent is chosen."""
    if not _is_given(config, "aar_agent"):
        return None
    from pytest_aar import hooks  # noqa: PLC0415 - start-up stays cheap

    return hooks.header(config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> LegFile | None:
    """Claim the legs among the JSON files."""
    if file_path.suffix != ".json" or file_path.name.startswith("."):
        return None
    from pytest_aar import collect  # noqa: PLC0415 - start-up stays cheap

    return collect.claim(file_path, parent)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize ordinary tests over the legs of their mark `aar_legs`."""
    if metafunc.definition.get_closest_marker("aar_legs") is None:
        return
    from pytest_aar import collect  # noqa: PLC0415 - start-up stays cheap

    collect.parametrize(metafunc)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse legs that share an id; choose by level, variant and sample."""
    if any(item.get_closest_marker("aar") for item in items):
        from pytest_aar import collect  # noqa: PLC0415 - start-up stays cheap

        collect.choose(config, items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put the races that ended in this phase on the report: it carries them to the controller."""
    report = yield
    if "aar_leg" in getattr(item, "fixturenames", ()):
        from pytest_aar import hooks  # noqa: PLC0415 - start-up stays cheap

        hooks.annotate(item, call, report)
    return report


def pytest_report_teststatus(
    report: pytest.CollectReport | pytest.TestReport,
) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
    """A contaminated race has a letter and a count of its own."""
    if getattr(report, "aar", {}).get("kind") != "contaminated":
        return None
    return "contaminated", "C", ("CONTAMINATED", {"red": True})


@pytest.hookimpl(tryfirst=True)
def pytest_warning_recorded(warning_message: warnings.WarningMessage, nodeid: str) -> None:
    """Take secrets out of a warning of a leg's race before it is printed or sent to the controller."""
    if ".json::" in nodeid:
        from pytest_aar.reports.censored import censor_warning  # noqa: PLC0415 - start-up stays cheap
        from pytest_aar.secrets import Secrets  # noqa: PLC0415 - same

        censor_warning(warning_message.message, Secrets.of().censor)


class _Relay:
    """Seats the referee at the first report that carries a race, in runs without any option of ours."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Pass on what the referee, seated now, will not be told of this report."""
        if not hasattr(report, "aar") or self._config.pluginmanager.has_plugin("aar-referee"):
            return
        from pytest_aar import hooks  # noqa: PLC0415 - start-up stays cheap

        hooks.referee_of(self._config).pytest_runtest_logreport(report)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a new worker where this run's results are, and its races with other workers (pytest-xdist)."""
    from pytest_aar import session  # noqa: PLC0415 - start-up stays cheap

    node.workerinput["aar_run"] = str(session.run_folder(node.config))
    node.workerinput["aar_shared"] = str(session.shared_folder(node.config))
    known = session.known_isolation(node.config)
    node.workerinput["aar_isolation"] = None if known is None else asdict(known)
