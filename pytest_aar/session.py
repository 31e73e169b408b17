"""What a run of pytest carries in its `config.stash`: settings, the run's folder, the races of this process.

`collect`, `fixtures` and `hooks` meet here; they don't import each other.
"""

from __future__ import annotations

import secrets
import shutil
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_aar.errors import ConfigurationError
from pytest_aar.folders import SHARED, join
from pytest_aar.leg_refs import LegRef
from pytest_aar.option_values import Given
from pytest_aar.options import OPTIONS, Option, settings_from
from pytest_aar.processes import interrupt_without_parent
from pytest_aar.settings import Settings

if TYPE_CHECKING:
    from pytest_aar.box import Isolation
    from pytest_aar.cost import RunBudget
    from pytest_aar.race import Track

_SETTINGS = pytest.StashKey[Settings]()
_RUN = pytest.StashKey[Path]()
_SHARED = pytest.StashKey[Path]()
_JOINED = pytest.StashKey[bool]()
_TRACK = pytest.StashKey["Track"]()
_ISOLATION = pytest.StashKey["Isolation"]()


#: On an item that races a leg without being parametrized: which leg.
LEG = pytest.StashKey[LegRef]()
#: On an item whose race has ended, well or not.
RACED = pytest.StashKey[bool]()


def leg_of(item: pytest.Item) -> LegRef | None:
    """The leg that an item races, None if it races none."""
    if LEG in item.stash:
        return item.stash[LEG]
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    found = parameters.get("aar_leg")
    return found if isinstance(found, LegRef) else None


def is_worker(config: pytest.Config) -> bool:
    """Whether this process is a worker of pytest-xdist."""
    return hasattr(config, "workerinput")


def settings_of(config: pytest.Config) -> Settings:
    """The run's settings, command line over ini; pytest.UsageError for the first bad value."""
    if _SETTINGS not in config.stash:
        given = {option.name: _given(config, option) for option in OPTIONS}
        try:
            settings = settings_from(given)
        except ConfigurationError as error:
            raise usage_error(error) from error
        root = project_folder(config)
        config.stash[_SETTINGS] = replace(
            settings, legs_root=root / settings.legs_root, cassettes=root / settings.cassettes
        )
    return config.stash[_SETTINGS]


def usage_error(error: ConfigurationError) -> pytest.UsageError:
    """What pytest prints for a wrong option; it may quote a key that was put where none belongs."""
    from pytest_aar.secrets import Secrets  # noqa: PLC0415 - only for errors

    return pytest.UsageError(Secrets.of().censor(str(error)))


def _given(config: pytest.Config, option: Option) -> tuple[Given, ...]:
    value = config.getoption(option.ini)
    source, folder = option.cli, config.invocation_params.dir
    if value is None:
        value, source = config.getini(option.ini), f"ini option {option.ini}"
        folder = config.inipath.parent if config.inipath else config.rootpath
    # An empty text on the command line is a variable that was not set: the option's parser says so.
    if not value and not (value == "" and source == option.cli):
        return ()
    texts = value if isinstance(value, list) else [value]
    return tuple(Given(text=str(text), source=source, folder=folder) for text in texts)


def make_importable(config: pytest.Config) -> None:
    """Let an agent `module:Class` be found in the root folder, whichever way pytest was started.

    At the end of sys.path: what could be imported before stays what it was.
    """
    root = str(config.rootpath)
    if ":" in (settings_of(config).agent or "") and root not in sys.path:
        sys.path.append(root)
        config.add_cleanup(lambda: sys.path.remove(root) if root in sys.path else None)


def run_folder(config: pytest.Config) -> Path:
    """The folder of this run's results; workers are told by the controller."""
    if _RUN not in config.stash:
        told = getattr(config, "workerinput", {}).get("aar_run")
        config.stash[_RUN] = Path(told) if told else _new_run_folder(config)
    return config.stash[_RUN]


def shared_folder(config: pytest.Config) -> Path:
    """Where the processes of this run find each other's races; workers are told by the controller, whose it is."""
    if _SHARED not in config.stash:
        told = getattr(config, "workerinput", {}).get("aar_shared")
        if told:
            config.stash[_SHARED] = Path(told)
            return config.stash[_SHARED]
        # only a name: the first race makes the folder, most sessions have none
        folder = Path(tempfile.gettempdir()) / f"{SHARED}{secrets.token_hex(8)}"
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
        config.stash[_SHARED] = folder
    return config.stash[_SHARED]


def joined_folder(config: pytest.Config) -> Path:
    """The same, on disk: it stays there while this process lives, whichever other run sweeps."""
    folder = shared_folder(config)
    if _JOINED not in config.stash:
        config.stash[_JOINED] = True
        config.add_cleanup(join(folder))
    return folder


def keep_shared(config: pytest.Config) -> None:
    """Let the folder that workers have made outlive any of them."""
    if shared_folder(config).exists():
        joined_folder(config)


def own_folder(config: pytest.Config) -> Path:
    """Where the plugin keeps what nobody gave another place."""
    return project_folder(config) / ".aar"


def project_folder(config: pytest.Config) -> Path:
    """Where legs, recordings and results are by default: the root folder, if somebody made it one.

    Without a configuration file pytest takes for it what the arguments have in common with the folder it was
    started in: that may be the home folder, or somebody's data. Then it is the folder it was started in.
    """
    root = config.rootpath
    has_file = config.inipath is not None and config.inipath.is_file()
    chosen = has_file or config.getoption("rootdir", None) or (root / "setup.py").is_file()
    return root if chosen else config.invocation_params.dir


def _new_run_folder(config: pytest.Config) -> Path:
    from pytest_aar.results import new_run_id  # noqa: PLC0415 - at the first race, not at start-up

    return settings_of(config).results or own_folder(config) / "runs" / new_run_id()


def track_of(config: pytest.Config) -> Track:
    """The track that this process races on; made at the first race, closed with the config."""
    if _TRACK not in config.stash:
        from pytest_aar.race import SharedRaces, Track  # noqa: PLC0415 - at the first race, not at start-up

        shared = SharedRaces(joined_folder(config)) if is_worker(config) else None
        budget = budget_of(config)
        track = Track(
            settings_of(config),
            run_folder(config),
            shared=shared,
            budget=budget,
            isolation=lambda: isolation_of(config),
        )
        track.meet(shared_folder(config))
        config.stash[_TRACK] = track
        config.add_cleanup(track.close)
        hide_environment(config)  # ordinary tests may race without any option
        if is_worker(config):
            # pytest-xdist's workers race on for five seconds when their controller was killed
            interrupt_without_parent()
    return config.stash[_TRACK]


def isolation_of(config: pytest.Config) -> Isolation:
    """The box of this run: told by the controller, or found out by trying, once."""
    if _ISOLATION not in config.stash:
        from pytest_aar.box import Isolation, probe  # noqa: PLC0415 - only where programs are run

        told = getattr(config, "workerinput", {}).get("aar_isolation")
        found = Isolation(**told) if told else probe(settings_of(config).isolation)
        config.stash[_ISOLATION] = found
    return config.stash[_ISOLATION]


def known_isolation(config: pytest.Config) -> Isolation | None:
    """The box of this run, None as long as nothing asked for one."""
    return config.stash.get(_ISOLATION, None)


def budget_of(config: pytest.Config) -> RunBudget | None:
    """The budget that the run's processes share, None without a limit on the whole run."""
    settings = settings_of(config)
    if settings.max_cost is None and settings.max_tokens is None:
        return None
    from pytest_aar.cost import Ledger, RunBudget  # noqa: PLC0415 - most runs have no limit

    ledger = Ledger(joined_folder(config) / "spent.jsonl")
    return RunBudget(ledger=ledger, max_tokens=settings.max_tokens, max_cost=settings.max_cost)


def hide_environment(config: pytest.Config) -> None:
    """While workers race, no agent of this user looks into their controller, or into a worker between its races."""
    if is_worker(config):
        from pytest_aar.lookout import stay_undumpable  # noqa: PLC0415 - only where workers race

        stay_undumpable()  # for good: a worker without work left lives on while others race
    elif config.pluginmanager.has_plugin("dsession"):
        from pytest_aar.lookout import undumpable  # noqa: PLC0415 - only where workers race

        hidden = ExitStack()
        hidden.enter_context(undumpable())
        config.add_cleanup(hidden.close)


def opened_track(config: pytest.Config) -> Track | None:
    """The track if there was a race already."""
    return config.stash.get(_TRACK, None)
