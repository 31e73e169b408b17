"""What a refused model call means for the race."""

from pytest_aar.trace import Finish

#: Error codes of the gateway's own refusals.
STEP_LIMIT = "aar_step_limit"


def refused(status: int, text: str) -> Finish:
    """The ending after an error reply; an infrastructure problem is known to the gateway and wins over it."""
    short = " ".join(text.split())[:300]
    if STEP_LIMIT in text:
        return Finish(ending="step-limit", detail=short)
    return Finish(ending="no-answer", detail=f"the model call was answered {status}: {short}")
