"""The one road to the tools: check the arguments, run, and give errors back as results."""

import difflib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import httpx
from pydantic import ValidationError

from pytest_aar.manners.meter import METER, Meter
from pytest_aar.settings import PAGE_CHARACTERS, TOOL_CHARACTERS
from pytest_aar.tools.argument_words import in_words
from pytest_aar.tools.arguments import Arguments
from pytest_aar.tools.registry import TOOL_NAMES, Tool, tool_named
from pytest_aar.tools.result import ToolFailure, ToolResult, error
from pytest_aar.tools.services import Services
from pytest_aar.tools.unreachable import unreachable

_JSON_KINDS = {
    **{list: "a list", str: "a text", bool: "true or false"},
    **{int: "a number", float: "a number"},
}


async def call(name: str, arguments: Mapping[str, Any], services: Services) -> ToolResult:
    """The result of a tool, by name or alias. Bad input and failing services are error results.

    All that it waits for is bounded together: by the caller's meter, or one of its own.
    """
    token = METER.set(METER.get() or Meter())
    try:
        return await _result(name, arguments, services)
    finally:
        METER.reset(token)


async def _result(name: str, arguments: Mapping[str, Any], services: Services) -> ToolResult:
    try:
        tool = _known(name)
        checked = check(tool, arguments)
        result = await tool.run(checked, services)
    except ToolFailure as failure:
        result = error(failure.kind, failure.message, **failure.details)
    except httpx.InvalidURL as problem:
        result = error("bad_arguments", f"not a URL that can be fetched: {problem}")
    except httpx.HTTPError as problem:
        below = unreachable(problem)
        result = error(below.kind, below.message)
    return _encodable(result)


def check(tool: Tool, arguments: Any) -> Arguments:
    """The arguments as the tool's model.

    Raises:
        ToolFailure: bad_arguments; one line for each wrong field, saying what was expected.
    """
    if not isinstance(arguments, Mapping):
        got = _JSON_KINDS.get(type(arguments), "null")
        raise ToolFailure(
            "bad_arguments", f"{tool.name}: expected a JSON object of arguments, got {got}"
        )
    try:
        return tool.arguments.model_validate(_given(tool, arguments))
    except ValidationError as problems:
        takes = ", ".join(tool.arguments.model_fields)
        lines = [in_words(problem, takes) for problem in problems.errors(include_url=False)]
        raise ToolFailure("bad_arguments", f"{tool.name}: {'; '.join(lines)}") from None


def shown(result: ToolResult, name: str, *, tool_characters: int = TOOL_CHARACTERS) -> str:
    """What the agent gets of a result: up to the limit, then a marker that says what is missing."""
    tool = tool_named(name)
    is_page = tool is not None and tool.name == "fetch_webpage"
    limit = PAGE_CHARACTERS if is_page else tool_characters
    total = len(result.text)
    if total <= limit:
        return result.text
    start = int(result.details.get("offset", 0))
    marker = (
        f"[cut: characters {start} to {start + limit} of {start + total} are shown;"
        f" {total - limit} are missing"
    )
    if is_page:
        return (
            f"{result.text[:limit]}\n{marker}; call again with offset={start + limit},"
            " or with section=a title or number of the outline]"
        )
    advice = "ask for less: fewer items, a shorter period, `select`, less output"
    return f"{result.text[:limit]}\n{marker}; {advice}]"


def _known(name: str) -> Tool:
    tool = tool_named(name)
    if tool is not None:
        return tool
    near = difflib.get_close_matches(name, TOOL_NAMES, n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise ToolFailure(
        "bad_arguments", f"no tool is called {name!r}{hint}; the tools are {', '.join(TOOL_NAMES)}"
    )


def _given(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments without nulls for optional ones: many models write null for "not given"."""
    fields = tool.arguments.model_fields
    return {
        name: value
        for name, value in arguments.items()
        if value is not None or name not in fields or fields[name].is_required()
    }


def _encodable(result: ToolResult) -> ToolResult:
    """The result with lone surrogates replaced: everything later writes it as UTF-8."""
    try:
        result.text.encode()
    except UnicodeEncodeError:
        return replace(result, text=result.text.encode("utf-8", "replace").decode())
    return result
