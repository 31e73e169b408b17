"""One finding, and what findings mean for what a user wants to do."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from pytest_aar.agents import AGENT_NAMES

#: `off`: not there and not needed by itself. `broken`: there, and not as it should be.
State = Literal["ok", "missing", "broken", "off"]
LIVE, SANDBOX = "live", "sandbox"
PURPOSES = (SANDBOX, LIVE, *AGENT_NAMES)
#: What every purpose needs.
EVERYTHING = PURPOSES


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What was found of one thing. `advice` says what to do, "" where nothing need be done.

    `needed_for` are the purposes that fail without it.
    """

    area: str
    name: str
    state: State
    found: str
    advice: str = ""
    needed_for: tuple[str, ...] = ()


def in_the_way(checks: Iterable[Check], purpose: str) -> list[Check]:
    """What keeps a purpose from working."""
    return [
        check
        for check in checks
        if check.state in ("missing", "broken") and purpose in check.needed_for
    ]
