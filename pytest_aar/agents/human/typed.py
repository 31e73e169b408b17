"""Arguments as a person types them, typed by the tool's schema."""

import json
from collections.abc import Mapping
from typing import Any

from pytest_aar.argument_names import ALSO_CALLED
from pytest_aar.tools import Tool, schema

_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class BadLine(Exception):
    """A line that means no move; the message is for the person who typed it."""


def known_argument(tool: Tool, name: str) -> str:
    """The name, if the tool takes it.

    Raises:
        BadLine: it takes no such argument.
    """
    properties = schema(tool)["properties"]
    if name not in properties and not _stand_ins(properties).get(name):
        raise BadLine(
            f"{tool.name} has no argument {name!r}; it takes {', '.join(properties)}"
            f" (text that holds '=' goes in quotes: {next(iter(properties))}='...')"
        )
    return name


def bare_argument(tool: Tool) -> str:
    """The argument that text without a name is for: the only one that is required, if it is text.

    Raises:
        BadLine: the tool needs more than one, or something else than text.
    """
    described = schema(tool)
    required = described.get("required", [])
    if len(required) == 1 and kind_of(described["properties"][required[0]]) == "string":
        return str(required[0])
    wanted = " ".join(f"{name}=..." for name in required)
    raise BadLine(f"name the arguments: {tool.name} {wanted} (help {tool.name} explains them)")


def typed(name: str, text: str, properties: Mapping[str, Any]) -> Any:
    """The value that a text means for the argument of that name or stand-in name.

    Raises:
        BadLine: it is no number, no truth value, no JSON where one is needed.
    """
    described = properties.get(name) or properties[_stand_ins(properties)[name]]
    kind = kind_of(described)
    if kind == "array":
        return _listed(name, text)
    if kind in ("number", "integer"):
        return _number(name, text)
    if kind == "boolean":
        return _truth(name, text)
    return _from_json(name, text) if kind == "object" and text.startswith("{") else text


def join(name: str, before: Any, value: Any) -> Any:
    """A list named twice is one list; anything else may be given once.

    Raises:
        BadLine: an argument that is no list was given twice.
    """
    if before is None:
        return value
    if isinstance(before, list) and isinstance(value, list):
        return before + value
    raise BadLine(f"{name} is given twice")


def kind_of(described: Mapping[str, Any]) -> str:
    """The JSON type of an argument; the other one where null is allowed as well."""
    return str(plain(described).get("type", "string"))


def plain(described: Mapping[str, Any]) -> Mapping[str, Any]:
    """An argument's description without the null that it may be as well."""
    choices = [one for one in described.get("anyOf", ()) if one.get("type") != "null"]
    return {**choices[0], **described} if choices else described


def _stand_ins(properties: Mapping[str, Any]) -> dict[str, str]:
    """Other accepted name -> the argument's own."""
    return {
        other: own for own, others in ALSO_CALLED.items() if own in properties for other in others
    }


def _number(name: str, text: str) -> float | int:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise BadLine(f"{name}: expected a number, got {text!r}") from None


def _truth(name: str, text: str) -> bool:
    if text.lower() not in _TRUTH:
        raise BadLine(f"{name}: expected true or false, got {text!r}")
    return _TRUTH[text.lower()]


def _listed(name: str, text: str) -> list[Any]:
    """JSON, or items with semicolons between them (commas stand inside addresses and points)."""
    if text.startswith("["):
        value = _from_json(name, text)
        return value if isinstance(value, list) else [value]
    return [item.strip() for item in text.split(";") if item.strip()]


def _from_json(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise BadLine(f"{name}: not JSON ({problem}): put it in single quotes") from None
