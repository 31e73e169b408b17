"""What a refused model call means for the race."""

import re
from collections.abc import Mapping

from pytest_aar.trace import Ending, Finish

#: Error codes of the gateway's own refusals at a limit, and how the race ended then.
LIMITS: Mapping[str, Ending] = {
    "aar_step_limit": "step-limit",
    "aar_budget": "budget",
    "aar_timeout": "timeout",
}
#: The gateway's address, new in each race, with or without the race's token.
_ADDRESS = re.compile(r"(http://)?127\.0\.0\.1:\d+(/r/[\w-]+)?")


def refused(status: int, text: str) -> Finish:
    """The ending after an error reply; an infrastructure problem is known to the gateway and wins over it."""
    return _ending(text, f"the model call was answered {status}: ")


def refused_saying(text: str) -> Finish:
    """The same, of a client that tells the reply in words of its own."""
    return _ending(text, "the model call failed: ")


def limit_in(text: str) -> Ending | None:
    """The ending at a limit whose code the text holds, None where it holds none."""
    return next((ending for code, ending in LIMITS.items() if code in text), None)


def _ending(text: str, what: str) -> Finish:
    short = _ADDRESS.sub("the gateway", " ".join(text.split()))[:300]
    ending = limit_in(text)
    if ending is not None:
        return Finish(ending=ending, detail=short)
    return Finish(ending="no-answer", detail=f"{what}{short}")
