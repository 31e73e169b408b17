"""Races that the workers of one session share: whoever comes second takes over what the first one ran."""

import json
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from pytest_aar.errors import SecretFound
from pytest_aar.leg import Leg
from pytest_aar.results import from_json, to_json
from pytest_aar.results.folder import replace

from .kept import kept_race
from .records import Race


class SharedRaces:
    """A folder of the session with one lock and, once it is run, one record for each race."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def race(self, key: tuple[str, str, int], leg: Leg, run: Callable[[], Race]) -> Race:
        """The race of this key: taken over from the worker that ran it, else run now.

        Waits while another worker runs it; a lock dies with its process.
        """
        from filelock import FileLock  # noqa: PLC0415 - loads asyncio, only workers need it

        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = blake2b(json.dumps(key).encode(), digest_size=16).hexdigest()
        kept = self._folder / f"{name}.json"
        with FileLock(self._folder / f"{name}.lock"):
            if kept.exists():
                return _taken_over(kept, leg)
            race = run()
            told = {"trace": str(race.trace_path), "record": to_json(race.record)}
            # Only the hand-over fails with it: another worker runs this race again, this one stands.
            with suppress(OSError, SecretFound):
                replace(kept, json.dumps(told))
            return race


def _taken_over(kept: Path, leg: Leg) -> Race:
    told = json.loads(kept.read_text(encoding="utf-8"))
    return kept_race(from_json(told["record"]), leg, Path(told["trace"]))
