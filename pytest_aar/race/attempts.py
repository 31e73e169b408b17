"""One race's attempts, until one counts or none is left."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from pytest_aar.errors import ReplayDiverged

from .boundary import worth_a_retry

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_aar.trace import ModelCall

    from .records import Attempt, Entrant


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One attempt, and who raced in it.

    `number` counts the attempts up to this one; `paid` are the live model calls of those before it.
    """

    attempt: Attempt
    entrant: Entrant
    number: int = 1
    paid: tuple[ModelCall, ...] = ()

    def after(self, failed: Tried) -> Tried:
        """The same as the attempt that followed a failed one."""
        return replace(
            self, number=failed.number + 1, paid=(*failed.paid, *_live_calls(failed.attempt))
        )


class Once(Protocol):
    """Races one time, whatever happens; `again` is the live race after a replay that diverged."""

    def __call__(self, *, again: bool) -> Tried:
        """The attempt."""
        ...


def attempts(once: Once, *, retries: int, renews: bool) -> Tried:
    """The attempt that counts. `renews`: a replay that diverged is raced again live, with retries of its own."""
    tried = _retried(partial(once, again=False), retries)
    if not renews or not isinstance(tried.attempt.problem, ReplayDiverged):
        return tried
    if tried.attempt.contaminated:  # what was seen can't be unseen by another attempt
        return tried
    return _retried(partial(once, again=True), retries)


def _retried(once: Callable[[], Tried], retries: int) -> Tried:
    tried = once()
    while tried.number <= retries and _may_pass(tried.attempt):
        following = once()
        if following.attempt.skipped:  # no money left for a retry
            return tried
        tried = following.after(tried)
    return tried


def _may_pass(attempt: Attempt) -> bool:
    return not attempt.contaminated and worth_a_retry(attempt.problem)


def _live_calls(attempt: Attempt) -> tuple[ModelCall, ...]:
    """Replayed ones cost nothing now."""
    return tuple(call for call in attempt.trace.model_calls if call.recorded_seconds is None)
