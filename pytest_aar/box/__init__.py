"""Boxes: where the commands of an agent run. `none` is plain processes with an environment built from empty."""

from .box import Box, CommandResult, CommandSpec, base_environment
from .offline import DEAD_PROXY, OfflineBox
from .plain import PlainBox

__all__ = [
    "DEAD_PROXY",
    "Box",
    "CommandResult",
    "CommandSpec",
    "OfflineBox",
    "PlainBox",
    "base_environment",
    "make_box",
]


def make_box(name: str = "none", *, offline: bool = False) -> Box:
    """The box of that name; only `none` exists so far. `offline`: its commands find a dead proxy."""
    from pytest_aar.errors import ConfigurationError  # noqa: PLC0415 - only on the way to an error

    if name in ("none", "auto"):
        return OfflineBox(PlainBox()) if offline else PlainBox()
    raise ConfigurationError(f"unknown isolation {name!r}; valid: auto, none")
