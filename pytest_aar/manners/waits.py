"""Why requests wait, how each kind of wait is told, and what to do about it. Only the standard library."""

from typing import Literal

#: "limits": ours. "pause": the service asked for it. "failing": it answers with faults of its own, or too late.
#: "unreached": no connection to it. "shared": another worker asks, for all.
Kind = Literal["limits", "pause", "failing", "unreached", "shared"]

_TOLD: dict[Kind, str] = {
    "pause": "pause asked for",
    "failing": "failing",
    "unreached": "out of reach",
}
_REMEDIES: dict[Kind, str] = {
    "limits": "its limits: --aar-limits",
    "pause": "it asked for that: race with fewer workers",
    "failing": "it did not answer well: `aar doctor` asks every service",
    "unreached": "no connection to it: `aar doctor` asks every service",
    "shared": "each page is asked for once",
}


def label(kind: Kind, name: str, policy: object) -> str:
    """The service with why it was waited for: `wikipedia (200/min)`, `maps (pause asked for)`."""
    return f"{name} ({_TOLD.get(kind, policy)})"


def is_of_limits(told: str) -> bool:
    """Whether a wait with this label was for limits of ours."""
    return _kind_of(told) == "limits"


def remedy(told: str) -> str:
    """What to do about the waits with this label."""
    return _REMEDIES[_kind_of(told)]


def _kind_of(told: str) -> Kind:
    if " (" not in told:
        return "shared"
    return next((kind for kind, text in _TOLD.items() if told.endswith(f" ({text})")), "limits")
