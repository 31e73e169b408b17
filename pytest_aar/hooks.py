"""What happens on reports: races noted on the controller, the verdict, the summary, the exit status."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from pytest_aar import gate, session
from pytest_aar.errors import (
    AarError,
    ConfigurationError,
    ContaminatedRace,
    InfrastructureError,
    LegError,
    LostRace,
    SecretFound,
)
from pytest_aar.guarded import secrets_of
from pytest_aar.reports.censored import censor_report
from pytest_aar.reports.isolation_note import isolation_note
from pytest_aar.results import (
    CONTAMINATED,
    INFRASTRUCTURE,
    SKIPPED,
    STAND_IN,
    RaceRecord,
    RunFolder,
    baseline_of,
    check_resumable,
    from_json,
    keep_out_of_git,
    load,
    read_kept,
    to_json,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from pytest_aar.settings import Settings

#: So many infrastructure errors in a row, over all workers, stop the run: nothing gets better by itself.
IN_A_ROW = 10
_REFEREE = "aar-referee"
#: The exit statuses that the gate decides between; all others are pytest's.
_JUDGED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)


def configure(config: pytest.Config) -> None:
    """Check all options and, on the controller, seat the referee. Raises pytest.UsageError."""
    settings = session.settings_of(config)
    session.make_importable(config)
    try:
        gate.parse(settings.gate)
        _check_resume(settings)
        if settings.baseline is not None:
            load(settings.baseline)
        if settings.agent is not None and not config.option.collectonly:
            _check_race_settings(config, settings)
    except ConfigurationError as error:
        raise session.usage_error(error) from error
    if not session.is_worker(config):
        referee_of(config)


def _check_resume(settings: Settings) -> None:
    if settings.resume and settings.results is None:
        raise ConfigurationError(
            "--aar-resume goes on with the run in a folder: name the folder with --aar-results DIR"
        )


def _check_race_settings(config: pytest.Config, settings: Settings) -> None:
    from pytest_aar import race  # noqa: PLC0415 - only when legs will be raced

    agent = race.check_settings(settings)
    if race.is_boxed(agent):
        race.check_box(agent, settings, session.isolation_of(config))


def header(config: pytest.Config) -> str:
    """The header line."""
    settings = session.settings_of(config)
    name = session.model_of(settings)
    model = "" if name is None else f", model {name}"
    if name == "pacer":
        model += f" ({STAND_IN})"
    line = f"aar: agent {settings.agent}{model}, world {settings.world}, record {settings.record}"
    known, verbose = session.known_isolation(config), config.option.verbose > 0
    line += isolation_note(known, settings.legs_root, verbose=verbose)
    if settings.resume and not session.is_worker(
        config
    ):  # workers make a header, too, and show it to nobody
        line += f", resumes {settings.results} ({referee_of(config).resumed} races are scored)"
    return line


def annotate(item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
    """Put on the report the races that ended in this phase, and what its failure is.

    The attribute `aar` crosses from worker to controller with the report; it holds builtin types only.
    """
    problem = call.excinfo.value if call.excinfo is not None else None
    if isinstance(problem, AarError) and not item.config.getoption("fulltrace"):
        # our messages say what to do; a traceback through the plugin does not
        report.longrepr = str(problem)
    censor_report(report, secrets_of(session.settings_of(item.config)).censor)
    track = session.opened_track(item.config)
    ended = track.take_ended() if track is not None else []
    kind = _kind(item, problem)
    if ended or kind:
        report.aar = {"races": [to_json(record) for record in ended], "kind": kind}  # type: ignore[attr-defined] # reports keep extras


def _kind(item: pytest.Item, problem: BaseException | None) -> str:
    if isinstance(problem, LostRace) and session.LEG in item.stash:
        return "lost"  # in an ordinary test a lost race is what its author asserts: a failure like any other
    if isinstance(problem, ContaminatedRace) and session.LEG in item.stash:
        return CONTAMINATED
    if isinstance(problem, InfrastructureError) and session.RACED in item.stash:
        return INFRASTRUCTURE
    return ""


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
        self._folder = RunFolder(session.run_folder(config), secrets=secrets_of(settings))
        self._races: dict[tuple[Any, ...], RaceRecord] = {}
        self._earlier: dict[tuple[str, str, int], RaceRecord] = {}
        self._in_a_row = 0
        self._failures = 0
        self._collection_errors = 0
        self.verdict: gate.Verdict | None = None

    def check_folder(self) -> None:
        """Raise pytest.UsageError when results could not be written, or belong to another run."""
        try:
            if self._settings.resume:
                self._resume()
            else:
                self._folder.check()
        except ConfigurationError as error:
            raise pytest.UsageError(str(error)) from error

    def _resume(self) -> None:
        run = self._folder.path
        provenance = session.provenance(self._config, run)
        check_resumable(run, provenance)
        self._folder.resume(provenance)
        self._earlier = read_kept(run)

    @property
    def resumed(self) -> int:
        """How many scored races the resumed run's folder holds."""
        return sum(race.score is not None for race in self._earlier.values())

    @property
    def races(self) -> list[RaceRecord]:
        """The races so far, in an order that does not depend on the workers."""
        return sorted(self._races.values(), key=lambda race: (race.leg, race.repeat))

    def pytest_sessionstart(self) -> None:
        """Before any race: can results be kept?"""
        will_race = self._settings.agent is not None or self._settings.resume
        if will_race and not self._config.option.collectonly:
            self.check_folder()
            session.provenance(self._config, self._folder.path)
            session.hide_environment(self._config)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Count collection errors: no rule makes up for them."""
        self._collection_errors += report.failed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the races that a report carries, and count failures that are no lost races."""
        facts: dict[str, Any] = getattr(report, "aar", {})
        for values in facts.get("races", ()):
            self.note(from_json(values))
        if report.failed and not facts.get("kind"):
            self._failures += 1

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: pytest.TestReport) -> None:
        """A worker died with a leg on the road: that race is an infrastructure error."""
        found = session.leg_item_of(crashitem, self._settings)
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
        legs = [session.leg_item_of(nodeid, self._settings) for nodeid in ids]
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
        if self._earlier.get(record.key) == record:
            return  # taken over from the run that is resumed: its line is there
        record = self._races[record.key] = self._write(record)
        if record.outcome == SKIPPED:
            return
        self._in_a_row = self._in_a_row + 1 if record.outcome == INFRASTRUCTURE else 0
        if self._in_a_row == IN_A_ROW:
            self._stop(f"{IN_A_ROW} infrastructure errors in a row, the last: {record.detail}")

    def _write(self, record: RaceRecord) -> RaceRecord:
        try:
            if not self._folder.begun:
                if self._settings.results is None:
                    keep_out_of_git(session.own_folder(self._config))
                self._folder.begin(session.provenance(self._config, self._folder.path))
            return self._folder.append(record)
        except OSError as error:
            self._stop(f"can't write results to {self._folder.path}: {error.strerror}")
        except SecretFound as refusal:
            self._stop(str(refusal))
        return record

    def _stop(self, reason: str) -> None:
        reason = f"aar stops the run: {reason}"
        manager = self._config.pluginmanager
        # pytest-xdist's controller has a flag of its own and does not look at the session's
        stoppable: Any = manager.get_plugin("dsession") or manager.get_plugin("session")
        stoppable.shouldstop = reason

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
        self._folder.finish({"outcomes": Counter(race.outcome for race in self.races)})
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
        self._folder.finish({"gate": {"passed": passed, "verdict": line}})

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The summary of all races."""
        if not self._races or self._config.option.no_summary:
            return
        from pytest_aar.reports.terminal import Look, flat, summary  # noqa: PLC0415 - only where legs were raced

        # no public way to ask for the width that --color etc. use
        width = terminalreporter._tw.fullwidth
        look = Look(width=width, verbosity=self._config.option.verbose)
        terminalreporter.write_sep("=", "The Amazing Agent Race")
        for line in flat(summary(self.races, look, changes=self._changes()), look):
            terminalreporter.write_line(line)
        terminalreporter.write_line(f"results: {self._folder.path}")

    def _changes(self) -> tuple[str, ...]:
        if self._settings.baseline is None:
            return ()
        from pytest_aar.reports.changes import changes  # noqa: PLC0415 - only where legs were raced

        run = session.provenance(self._config, self._folder.path)
        return changes(load(self._settings.baseline), baseline_of(self.races, run)).lines
