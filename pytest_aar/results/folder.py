"""The folder of a run: `run.json`, `results.jsonl`, `traces/<leg>[--r<k>].jsonl`.

A line is on the disk before the next race's result is looked at: killing the run at any moment loses at
most the races in flight.
"""

import json
import os
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any

from pytest_aar import guarded
from pytest_aar.errors import ConfigurationError, SecretFound
from pytest_aar.secrets import Secrets
from pytest_aar.trace import ModelCall, ToolCall, Trace

from .records import RaceRecord, from_json, refused, to_json

RESULTS = "results.jsonl"
RUN = "run.json"
_EVENTS = {"tool": ToolCall, "model": ModelCall}
#: What of a later part of a run stands beside the first part's.
_RESUMED = ("started_at", "versions", "git_commit")
_KINDS = {kind: name for name, kind in _EVENTS.items()}


def new_run_id() -> str:
    """`YYYYMMDDTHHMMSSZ-<6 hex>`."""
    return f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{token_hex(3)}"


class RunFolder:
    """Written by the controller alone; nothing is created before the first result."""

    def __init__(
        self, path: Path, *, option: str = "--aar-results", secrets: Secrets | None = None
    ) -> None:
        """`option` is the one that chose the path: messages name it. `secrets` None: the environment's."""
        self.path, self._option = path, option
        self._secrets = Secrets.of() if secrets is None else secrets
        self.begun = False  # whether the folder is there
        self._resumed: Mapping[str, Any] | None = None

    def check(self) -> None:
        """Raise ConfigurationError when the folder could not be written to; leaves nothing behind."""
        if (self.path / RESULTS).exists():
            raise ConfigurationError(
                f"{self._option}: {self.path} already holds the results of a run; "
                "choose another folder, or go on with that run by --aar-resume"
            )
        self._check_place()

    def resume(self, provenance: Mapping[str, Any]) -> None:
        """Go on with what the folder holds; a line that was not written whole is taken away.

        The first line that is added puts when, and by which versions, into `run.json`.

        Raises:
            ConfigurationError: the folder can't be written to.
        """
        self._check_place()
        results = self.path / RESULTS
        self.begun = (self.path / RUN).exists() and results.exists()
        if not results.exists():
            return
        self._resumed = {name: provenance[name] for name in _RESUMED}
        try:
            with results.open("rb+") as stream:
                stream.truncate(stream.read().rfind(b"\n") + 1)
        except OSError as error:
            raise ConfigurationError(
                f"--aar-resume: can't write to {results}: {error.strerror}"
            ) from error

    def _check_place(self) -> None:
        place = self.path
        while not place.exists() and place != place.parent:
            place = place.parent
        try:
            with tempfile.TemporaryFile(dir=place):
                pass
        except OSError as error:
            raise ConfigurationError(
                f"{self._option}: can't write results to {self.path}: {place}: {error.strerror}; "
                "choose a folder that you may write to"
            ) from error

    def begin(self, provenance: Mapping[str, Any]) -> None:
        """Make the folder and its `run.json`, once."""
        if self.begun:
            return
        self.path.mkdir(parents=True, exist_ok=True)
        self._write_run(provenance)
        self.begun = True

    def append(self, record: RaceRecord) -> RaceRecord:
        """Add one line and see it onto the disk; gives the record as it was written.

        One that holds a secret is written as an infrastructure error.

        Raises:
            OSError: nothing of the line was written.
            SecretFound: nothing was written, the secret is in what names the race.
        """
        self._note_resumed()
        try:
            self._append(record)
        except SecretFound as refusal:
            record = refused(record, refusal)
            self._append(record)
        return record

    def _note_resumed(self) -> None:
        if self._resumed is None:
            return
        before = read_run(self.path).get("resumed", [])
        self.finish({"resumed": [*before, self._resumed]})
        self._resumed = None

    def _append(self, record: RaceRecord) -> None:
        line = json.dumps(self._secrets.clean(to_json(record))) + "\n"
        path = self.path / RESULTS
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            guarded.append(handle, line.encode(), path=path, secrets=self._secrets)
            os.fsync(handle)
        finally:
            os.close(handle)

    def finish(self, facts: Mapping[str, Any]) -> None:
        """Add what is known only at the end (totals, verdict) to `run.json`."""
        if not self.begun:
            return
        self._write_run({**read_run(self.path), **facts})

    def _write_run(self, facts: Mapping[str, Any]) -> None:
        text = json.dumps(self._secrets.clean(facts), indent=2, sort_keys=True) + "\n"
        replace(self.path / RUN, text, secrets=self._secrets)


def keep_out_of_git(folder: Path) -> None:
    """Make the folder with a `.gitignore` of its own; one that is there stays as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError), (folder / ".gitignore").open("x", encoding="utf-8") as file:
        file.write("*\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRun:
    """What a results file holds: the races in the order they ended; `faults` are lines that are none."""

    races: tuple[RaceRecord, ...]
    faults: tuple[str, ...] = ()


def read_run(run: Path) -> dict[str, Any]:
    """What was raced, as the run's folder says it.

    Raises:
        OSError, ValueError: its `run.json` can't be read, or is no JSON object.
    """
    try:
        found = json.loads((run / RUN).read_text(encoding="utf-8"))
    except RecursionError:
        raise ValueError("nested too deeply to be what a run has written") from None
    if not isinstance(found, dict):
        raise ValueError("no JSON object")  # noqa: TRY004 - as for other text that is none
    return found


def read_races(run: Path) -> ReadRun:
    """Read a run's folder, or its results file; a damaged line costs its own race only.

    Raises ConfigurationError when the folder holds no results, or lines and none is a race.
    """
    path = run / RESULTS if run.is_dir() else run
    try:
        # what a torn write left may end inside a character
        lines = path.read_bytes().decode("utf-8", "replace").split("\n")
    except OSError as error:
        raise ConfigurationError(f"{path}: {error.strerror}; give the folder of a run") from error
    races, faults = {}, []
    for number, line in enumerate(lines[:-1], 1):
        try:
            record = from_json(json.loads(line))
        except (ValueError, TypeError, AttributeError) as error:
            faults.append(f"{path}:{number} is not the result of a race, left out: {error}")
        else:
            races[record.key] = record
    if lines[-1]:  # after the last newline
        faults.append(f"{path}:{len(lines)} was not written whole, left out")
    if faults and not races:
        raise ConfigurationError(f"{faults[0]}; give the folder of a run")
    return ReadRun(races=tuple(races.values()), faults=tuple(faults))


def trace_name(leg_id: str, repeat: int) -> str:
    """Path of a race's trace inside the run's folder."""
    return f"traces/{leg_id}{f'--r{repeat}' if repeat > 1 else ''}.jsonl"


def write_trace(path: Path, trace: Trace, *, secrets: Secrets | None = None) -> None:
    """One event per line, `event` naming its type (`tool` or `model`); secrets are redacted.

    Raises:
        SecretFound, OSError: nothing was written.
    """
    secrets = Secrets.of() if secrets is None else secrets
    facts = [{"event": _KINDS[type(event)], **asdict(event)} for event in trace.events]
    # ASCII escapes: what agents and models say may hold lone surrogates, which UTF-8 can't.
    lines = [json.dumps(secrets.clean(event)) for event in facts]
    path.parent.mkdir(parents=True, exist_ok=True)
    replace(path, "".join(f"{line}\n" for line in lines), secrets=secrets)


def read_trace(path: Path) -> Trace:
    """The trace that `write_trace` wrote; empty when its file could not be written."""
    if not path.exists():
        return Trace()
    events = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
    return Trace(events=tuple(_EVENTS[event.pop("event")](**event) for event in events))


def replace(path: Path, text: str, *, secrets: Secrets | None = None) -> None:
    """Write a file whole or not at all, and only without secrets."""
    guarded.write_file(path, text, secrets=secrets)
