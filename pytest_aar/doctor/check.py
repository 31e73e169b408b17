"""One finding, and what findings mean for what a user wants to do."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from pytest_aar.agents import AGENT_NAMES

#: `off`: not there and not needed by itself. `set`: given, but not known to work. `broken`: there, and not as it
#: should be. `slow`: no answer in time, not judged.
State = Literal["ok", "set", "missing", "broken", "off", "slow"]
LIVE, SANDBOX, ZIM, MCP = "live", "sandbox", "zim", "mcp"
#: What races are over, and who races.
RACES = (SANDBOX, LIVE, ZIM, *AGENT_NAMES)
PURPOSES = (SANDBOX, LIVE, ZIM, MCP, *AGENT_NAMES)
#: What every purpose needs.
EVERYTHING = PURPOSES


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What was found of one thing. `advice` says what to do, "" where nothing need be done.

    `needed_for` are the purposes that fail without it; those of `told_for` work, and should know of it.
    """

    area: str
    name: str
    state: State
    found: str
    advice: str = ""
    needed_for: tuple[str, ...] = ()
    told_for: tuple[str, ...] = ()


def in_the_way(checks: Iterable[Check], purpose: str) -> list[Check]:
    """What keeps a purpose from working, or from being judged."""
    return [
        check
        for check in checks
        if check.state in ("missing", "broken", "slow") and purpose in check.needed_for
    ]


def concerning(checks: Iterable[Check], purposes: Collection[str]) -> list[Check]:
    """What any of these purposes needs, or should know of."""
    wanted = set(purposes)
    return [check for check in checks if wanted & {*check.needed_for, *check.told_for}]
