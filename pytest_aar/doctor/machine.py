"""Folders, disk room and clock."""

import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from pytest_aar.leg_file import legs_in

from .check import EVERYTHING, LIVE, RACES, Check
from .probes import Probes

_FOLDERS, _MACHINE = "folders", "machine"
#: A race's folder, its trace and recording are small; a pip cache or a full disk is what runs into this.
_LEAST_BYTES = 200_000_000
_GB = 1e9
#: pytest-aar is younger than the time that such a clock shows.
_EARLIEST = datetime(2026, 1, 1, tzinfo=UTC)


def legs(folder: Path) -> Check:
    """Where the legs are."""
    files = len(legs_in(folder, folder))
    found = f"{folder}: {files} files" if files else f"{folder}: no leg's file"
    advice = "make some with aar generate, or name their folder: aar_legs in pytest's ini file (here: --legs)"
    return Check(
        area=_FOLDERS,
        name="legs",
        state="ok" if files else "off",
        found=found,
        advice="" if files else advice,
        told_for=RACES,
    )


def cassettes(folder: Path, probes: Probes) -> Check:
    """Where recordings are, or will be."""
    if folder.is_dir() and not probes.may(folder, os.R_OK | os.X_OK):
        return _shut(folder, "cassettes", "can't be read", RACES)
    return _writable(folder, "cassettes", (LIVE,), probes)


def results(folder: Path, probes: Probes) -> Check:
    """Where runs leave their results."""
    return _writable(folder, "results", RACES, probes)


def work(probes: Probes) -> Check:
    """Where races have their work folders."""
    try:
        with tempfile.TemporaryDirectory(prefix="aar-probe-", dir=probes.temporary) as made:
            Path(made, "probe").touch()
            folder = str(Path(made).parent)
    except OSError as error:
        return Check(
            area=_FOLDERS, name="work folders", state="broken", found=str(error),
            advice="set TMPDIR to a folder that can be written", needed_for=EVERYTHING,
        )  # fmt: skip
    return Check(
        area=_FOLDERS,
        name="work folders",
        state="ok",
        found=f"{folder}: can be written",
        needed_for=EVERYTHING,
    )


def disk(folder: Path, probes: Probes) -> Check:
    """Room for results and recordings."""
    free = probes.free_bytes(_existing(folder))
    fits = free >= _LEAST_BYTES
    return Check(
        area=_MACHINE,
        name="disk",
        state="ok" if fits else "broken",
        found=f"{free / _GB:,.1f} GB free",
        advice="" if fits else f"make room: at least {_LEAST_BYTES / _GB} GB",
        needed_for=RACES,
    )


def clock(probes: Probes) -> Check:
    """The time, which certificates and forecasts go by. It is compared with no other clock."""
    now = probes.now()
    fits = now >= _EARLIEST
    return Check(
        area=_MACHINE,
        name="clock",
        state="ok" if fits else "broken",
        found=f"{now:%Y-%m-%d %H:%M} UTC",
        advice="" if fits else "set the clock: certificates of live services are not valid yet",
        needed_for=(LIVE,),
    )


def _writable(folder: Path, name: str, needed_for: tuple[str, ...], probes: Probes) -> Check:
    nearest = _existing(folder)
    if not nearest.is_dir() or not probes.may(nearest, os.W_OK | os.X_OK):
        return _shut(nearest, name, "can't be written", needed_for)
    told = "can be written" if nearest == folder else "will be made"
    return Check(
        area=_FOLDERS,
        name=name,
        state="ok",
        found=f"{folder}: {told}",
        needed_for=needed_for,
        told_for=RACES,
    )


def _shut(folder: Path, name: str, problem: str, needed_for: tuple[str, ...]) -> Check:
    here = f" (here: --{name})" if name == "cassettes" else ""
    advice = (
        f"give yourself the right to, or choose another folder: --aar-{name} of pytest, aar_{name} in its ini"
        f" file{here}"
    )
    return Check(
        area=_FOLDERS,
        name=name,
        state="broken",
        found=f"{folder}: {problem}",
        advice=advice,
        needed_for=needed_for,
        told_for=RACES,
    )


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there."""
    whole = folder.absolute()
    return folder if whole.exists() else next(each for each in whole.parents if each.exists())
