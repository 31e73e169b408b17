"""How deep a tool's arguments may be nested."""

from typing import Any

from .replies import BadRequest

#: Levels of a tool's arguments; the tools take three, and what is deeper breaks whoever walks through it.
_DEEPEST = 32


def check_depth(arguments: Any) -> None:
    """Raise BadRequest for arguments that are nested too deeply."""
    if _deeper_than(_DEEPEST, arguments):
        raise BadRequest(400, f"the arguments are nested deeper than {_DEEPEST} levels")


def _deeper_than(levels: int, value: Any) -> bool:
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_deeper_than(levels - 1, item) for item in inner)
