"""The boundary between a race and its run: whatever happens inside becomes a result."""

import traceback
from collections.abc import Callable
from typing import TypeVar

from pytest_aar.errors import (
    AarError,
    AgentCrashed,
    InfrastructureError,
    ModelUnavailable,
    ServiceUnavailable,
)

T = TypeVar("T")

_LAST_LINES = 8


def bounded(work: Callable[[], T]) -> T | InfrastructureError:
    """What `work` gives, or what keeps the race from being run: no race may vanish from the results."""
    try:
        return work()
    except InfrastructureError as problem:
        return problem
    except AarError as error:
        return InfrastructureError(f"{type(error).__name__}: {error}")
    except Exception as error:  # noqa: BLE001 - the one boundary: what nobody foresaw is a recorded error, too
        lines = "".join(traceback.format_exception(error)).splitlines()[-_LAST_LINES:]
        return InfrastructureError("the race broke off on a fault:\n" + "\n".join(lines))


def worth_a_retry(problem: InfrastructureError | None) -> bool:
    """What is missing, corrupted, diverged or refused for good now will be so a second later, too."""
    if isinstance(problem, ModelUnavailable | ServiceUnavailable):
        return not problem.final
    return isinstance(problem, AgentCrashed) or type(problem) is InfrastructureError
