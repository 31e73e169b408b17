"""What pytest's hooks do beside collection: options checked, the header, what a report carries to the controller."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_aar import gate, session
from pytest_aar.errors import (
    AarError,
    ConfigurationError,
    ContaminatedRace,
    InfrastructureError,
    LostRace,
)
from pytest_aar.guarded import secrets_of
from pytest_aar.leg_refs import model_of
from pytest_aar.reports.censored import censor_report
from pytest_aar.reports.isolation_note import isolation_note
from pytest_aar.reports.wikipedia_note import live_notes, wikipedia_note
from pytest_aar.results import CONTAMINATED, INFRASTRUCTURE, STAND_IN, load, to_json
from pytest_aar.results.mask import MASK, read_mask
from pytest_aar.settings import world_label

from .going_on import whole
from .referee import referee_of

if TYPE_CHECKING:
    from pytest_aar.settings import Settings

__all__ = ["annotate", "configure", "header", "referee_of"]


def configure(config: pytest.Config) -> None:
    """Check all options and, on the controller, seat the referee. Raises pytest.UsageError."""
    settings = session.settings_of(config)
    session.make_importable(config)
    try:
        gate.parse(settings.gate)
        _check_resume(settings)
        if settings.only:
            read_mask(config.invocation_params.dir / MASK)
        if settings.baseline is not None:
            load(settings.baseline)
        if settings.agent is not None and not config.option.collectonly:
            _check_race_settings(config, settings)
    except ConfigurationError as error:
        raise session.usage_error(error) from error
    if not session.is_worker(config):
        referee_of(config)
        _watch_for_live_legs(config, settings)
    elif settings.agent is not None and not config.option.collectonly:
        session.hide_environment(config)


def _watch_for_live_legs(config: pytest.Config, settings: Settings) -> None:
    """World `auto`: whether Wikipedia is asked is known only when the legs are."""
    note = live_notes(settings)
    if note and settings.agent is not None and settings.world == "auto":
        from .live_legs import LiveLegs  # noqa: PLC0415 - most runs replay

        config.pluginmanager.register(LiveLegs(config, settings, note))


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
    name = model_of(settings)
    model = "" if name is None else f", model {name}"
    if name == "pacer":
        model += f" ({STAND_IN})"
    line = f"aar: agent {settings.agent}{model}, world {world_label(settings.world)}, record {settings.record}"
    known, verbose = session.known_isolation(config), config.option.verbose > 0
    line += isolation_note(known, settings.legs_root, verbose=verbose)
    line += wikipedia_note(settings)
    # Workers make a header, too, and show it to nobody.
    if settings.resume and not session.is_worker(config):
        line += f", resumes {settings.results} ({referee_of(config).resumed} races are scored)"
    return line


def annotate(item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
    """Put on the report the races that ended in this phase, and what its failure is.

    The attribute `aar` crosses from worker to controller with the report; it holds builtin types only.
    """
    problem = call.excinfo.value if call.excinfo is not None else None
    if isinstance(problem, AarError) and not item.config.getoption("fulltrace"):
        # our messages say what to do; a traceback through the plugin does not
        report.longrepr = whole(str(problem), item.config)
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
