"""The referee: notes races on the controller, speaks the verdict, sets the exit status."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_aar import gate, session
from pytest_aar.errors import ConfigurationError, LegError
from pytest_aar.leg_refs import leg_item_of
from pytest_aar.results import (
    CONTAMINATED,
    INFRASTRUCTURE,
    SKIPPED,
    RaceRecord,
    baseline_of,
    from_json,
    load,
    to_json,
)

from .going_on import Planned, whole
from .keeping import Keeper
from .stopping import Stopper
from .told_once import ToldOnce

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from pytest_aar.settings import Settings

_REFEREE = "aar-referee"
#: The exit statuses that the gate decides between; all others are pytest's.
_JUDGED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)


def referee_of(config: pytest.Config) -> Referee:
    """The controller's referee, seated at the first use."""
    found = config.pluginmanager.get_plugin(_REFEREE)
    if found is None:
        found = Referee(config, session.settings_of(config))
        config.pluginmanager.register(found, _REFEREE)
    assert isinstance(found, Referee)  # the name is ours
    return found


class Referee:
    """Notes every race as it ends, and speaks the verdict. Lives on the controller only."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config, self._settings = config, settings
        self._stopper = Stopper(config)
        self._keeper = Keeper(config, settings, stop=self._stopper.stop)
        self._races: dict[tuple[Any, ...], RaceRecord] = {}
        self._told_once = ToldOnce()
        self._planned = Planned(config)
        config.pluginmanager.register(self._planned)
        self._failures = 0
        self._collection_errors = 0
        self.verdict: gate.Verdict | None = None

    def check_folder(self) -> None:
        """Raise pytest.UsageError when results could not be written, or belong to another run."""
        try:
            self._keeper.prepare()
        except ConfigurationError as error:
            raise session.usage_error(error) from error

    @property
    def resumed(self) -> int:
        """How many scored races the resumed run's folder holds."""
        return self._keeper.resumed

    @property
    def races(self) -> list[RaceRecord]:
        """The races so far, in an order that does not depend on the workers."""
        return sorted(self._races.values(), key=lambda race: (race.leg, race.repeat))

    def pytest_sessionstart(self) -> None:
        """Before any race: can results be kept?"""
        will_race = self._settings.agent is not None or self._settings.resume
        if will_race and not self._config.option.collectonly:
            self.check_folder()
            self._keeper.provenance()
            session.hide_environment(self._config)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Count collection errors: no rule makes up for them."""
        self._collection_errors += report.failed

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the races that a report carries, and count failures that are no lost races.

        Last, so that JUnit XML has each failure's whole text.
        """
        facts: dict[str, Any] = getattr(report, "aar", {})
        races = facts.get("races", ())
        for values in races:
            self.note(from_json(values))
        self._told_once.shorten(report, races)
        if report.failed and not facts.get("kind"):
            self._failures += 1

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: pytest.TestReport) -> None:
        """A worker died with a leg on the road: that race is an infrastructure error."""
        found = leg_item_of(crashitem, self._settings)
        record = self._crashed(*found, str(report.longrepr)) if found else None
        if record is None or record.key in self._races:
            return
        report.when = "setup"  # pytest calls failures of setup errors
        report.aar = {"races": [to_json(record)], "kind": INFRASTRUCTURE}  # type: ignore[attr-defined] # reports keep extras

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Before any worker races: are the rules of variants and levels that there are?"""
        rules = gate.parse(self._settings.gate)
        if not gate.unknown_cells(rules, ()):
            return
        legs = [leg_item_of(nodeid, self._settings) for nodeid in ids]
        levels = {self._level(*leg) for leg in legs if leg is not None}
        fault = gate.unknown_cells(rules, levels)
        # the legs of ordinary tests are known to the workers alone
        if fault and legs and None not in legs:
            raise pytest.UsageError(fault)

    def _level(self, file: str, _repeat: int) -> str:
        from pytest_aar.leg_file import read_leg  # noqa: PLC0415 - only for levels of one's own

        return read_leg(self._config.rootpath / file, legs_root=self._settings.legs_root).level

    def _crashed(self, file: str, repeat: int, detail: str) -> RaceRecord | None:
        from pytest_aar.leg_file import read_leg  # noqa: PLC0415 - only after a crash

        try:
            leg = read_leg(self._config.rootpath / file, legs_root=self._settings.legs_root)
        except LegError:  # gone since its collection: the crash stays an ordinary failure
            return None
        return session.track_of(self._config).crashed(leg, repeat=repeat, detail=detail)

    def note(self, record: RaceRecord) -> None:
        """Keep one race: on disk first."""
        known = self._races.get(record.key)
        if known is not None and (known.outcome != INFRASTRUCTURE or known == record):
            return  # each worker with a test on the leg tells of its one race
        self._races[record.key] = record
        if self._keeper.holds(record):
            return
        record = self._races[record.key] = self._keeper.keep(record)
        if record.outcome != SKIPPED:
            self._stopper.count(record)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(
        self, session: pytest.Session, exitstatus: int
    ) -> Generator[None, object, object]:
        """Before the summary the verdict; after everything else its line: it explains the exit status."""
        rules = gate.parse(self._settings.gate)
        if rules and self._races:
            other = gate.OtherFailures(
                collection_errors=self._collection_errors, other_failures=self._failures
            )
            self.verdict = gate.judge(rules, self.races, other)
            if exitstatus in _JUDGED:
                session.exitstatus = int(not self.verdict.passed)
        elif exitstatus == pytest.ExitCode.OK:
            # Also where only ordinary tests raced: no test's own measure makes up for a seen answer.
            session.exitstatus = int(any(race.outcome == CONTAMINATED for race in self.races))
        outcome = yield
        self._finish(exitstatus)
        return outcome

    def _finish(self, exitstatus: int) -> None:
        self._keeper.finish({"outcomes": Counter(race.outcome for race in self.races)})
        if self.verdict is None:
            return
        line, judged = self.verdict.line(), exitstatus in _JUDGED
        if not judged:
            line = f"aar gate: no verdict, the run did not end by itself (exit status {int(exitstatus)})"
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            colour = "green" if judged and self.verdict.passed else "red"
            terminal.write_line(line, **{colour: True})
        passed = self.verdict.passed if judged else None
        self._keeper.finish({"gate": {"passed": passed, "verdict": line}})

    def pytest_terminal_summary(self, terminalreporter: Any, exitstatus: int) -> None:
        """The summary of all races."""
        if not self._races or self._config.option.no_summary:
            return
        from pytest_aar.reports.terminal import Look, flat, summary  # noqa: PLC0415 - only where legs were raced
        from pytest_aar.reports.wikipedia_note import is_unpinned  # noqa: PLC0415 - same

        # no public way to ask for the width that --color etc. use
        width = terminalreporter._tw.fullwidth
        look = Look(width=width, verbosity=self._config.option.verbose)
        terminalreporter.write_sep("=", "The Amazing Agent Race")
        found = summary(
            self.races, look, changes=self._changes(), unpinned=is_unpinned(self._settings)
        )
        told = [
            replace(section, lines=tuple(whole(line, self._config) for line in section.lines))
            for section in found
        ]
        for line in flat(told, look):
            terminalreporter.write_line(line)
        terminalreporter.write_line(f"results: {self._keeper.path}")
        left = self._planned.left(self.races, exitstatus)
        if left:
            terminalreporter.write_line(left)
        _tell_contaminated(terminalreporter)

    def _changes(self) -> tuple[str, ...]:
        if self._settings.baseline is None:
            return ()
        from pytest_aar.reports.changes import changes  # noqa: PLC0415 - only where legs were raced

        now = baseline_of(self.races, self._keeper.provenance())
        return changes(load(self._settings.baseline), now).lines


def _tell_contaminated(terminalreporter: Any) -> None:
    """What pytest does for failures alone: the text of each, and a line to find it again."""
    reports = terminalreporter.getreports(CONTAMINATED)
    if not reports:
        return
    terminalreporter.write_sep("=", "CONTAMINATED")
    for report in reports:
        terminalreporter.write_sep("_", report.head_line or report.nodeid, red=True)
        terminalreporter.write_line(report.longreprtext)
    for report in reports:
        terminalreporter.write_line(f"CONTAMINATED {report.nodeid}", red=True)
