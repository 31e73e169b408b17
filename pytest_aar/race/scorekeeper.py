"""The scorekeeper: of what was tried it makes a race, with its trace kept, its score and its line."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_aar.errors import InfrastructureError
from pytest_aar.results import trace_name, write_trace
from pytest_aar.results.folder import RESULTS

from .boundary import bounded
from .discretion import censored_race
from .records import Attempt, Circumstances, Race, line_of
from .titles import golden_titles

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_aar.leg import Leg
    from pytest_aar.score import Score
    from pytest_aar.secrets import Secrets
    from pytest_aar.settings import Settings

    from .attempts import Tried

_PACER = "pacer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorekeeper:
    """Keeps the races of the folder `run`; what it writes or tells holds no secret of `secrets`."""

    settings: Settings
    run: Path
    secrets: Secrets

    def race(
        self, leg: Leg, tried: Tried, *, started_at: float, watch: float, validity: str
    ) -> Race:
        """The race that came of the attempt that counts.

        It began at `started_at` (seconds of the epoch), when the performance counter stood at `watch`.
        `validity` is the class by which the leg was chosen, "" where none was asked for.
        """
        attempt, entrant = tried.attempt, tried.entrant
        trace = trace_name(leg.leg_id, entrant.repeat)
        score = None
        if not attempt.skipped:
            score = bounded(lambda: self._judged(leg, tried, self.run / trace))
        if isinstance(score, InfrastructureError):
            attempt, score = replace(attempt, problem=attempt.problem or score), None
        circumstances = Circumstances(
            attempts=tried.number,
            paid=tried.paid,
            started_at=started_at,
            race_seconds=time.perf_counter() - watch,
            plan=self._plan(leg, entrant.repeat) if entrant.model else None,
            trace=None if attempt.skipped else trace,
            show_golden=self.settings.show_golden,
            validity=validity,
        )
        race = Race(
            leg=leg,
            trace=attempt.trace,
            finish=attempt.finish if attempt.counts else None,
            score=score,
            problem=None if attempt.contaminated else attempt.problem,
            record=line_of(leg, entrant, attempt, score, circumstances),
            trace_path=self.run / trace,
        )
        return censored_race(race, self.secrets, self.run / RESULTS)

    def _judged(self, leg: Leg, tried: Tried, trace_file: Path) -> Score | None:
        """Write the trace and score it; a race whose trace can't be kept is no result."""
        try:
            write_trace(trace_file, tried.attempt.trace, secrets=self.secrets)
        except OSError as error:
            raise InfrastructureError(
                f"can't write the trace {trace_file}: {error.strerror}"
            ) from error
        return self._score(leg, tried.attempt, tried.entrant.world)

    def _score(self, leg: Leg, attempt: Attempt, world: str) -> Score | None:
        if not attempt.counts or attempt.finish is None:
            return None
        from pytest_aar.score import score  # noqa: PLC0415 - not needed by runs without races

        theta = self.settings.error_threshold
        titles = golden_titles(leg, world, attempt.redirects)
        return score(leg, attempt.trace, attempt.finish, theta=theta, titles=titles)

    def _plan(self, leg: Leg, repeat: int) -> dict[str, Any] | None:
        if self.settings.model != _PACER:
            return None
        from pytest_aar.pacer import Skills, plan  # noqa: PLC0415 - only races need it

        made = plan(leg, Skills.parse(self.settings.pacer), repeat)
        # without the digit and the actions: they hold the golden values
        return {
            "error_class": made.error_class,
            "actions": len(made.actions),
            "faults": [asdict(fault) for fault in made.faults],
        }
