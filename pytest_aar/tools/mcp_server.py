"""The tools as an MCP server. Loads the SDK (extra `mcp`): import it by `mcp_extra.loaded`, where tools are served."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any, Protocol

import mcp_types as types
from mcp.server.lowlevel import Server

from pytest_aar.settings import PAGE_CHARACTERS
from pytest_aar.tools.registry import TOOL_NAMES, TOOLS, Tool, schema

#: What clients and models know the server by: `mcp__aar__maps_geocode`.
NAME = "aar"
_INSTRUCTIONS = (
    "Tools for the web, maps, weather, countries, stocks, crypto and Python. Results are JSON, pages are "
    "markdown; a long result ends with a marker that says how to get the rest."
)
#: Claude Code would put what is longer than half a page into a file of its own. All results have been cut already.
_META = {"anthropic/maxResultSizeChars": 4 * PAGE_CHARACTERS}
#: All others only look things up.
_ACTS = frozenset({"python_execute_code"})


class Said(Protocol):
    """What a client gets of a result: its text, already cut, and whether it is one."""

    @property
    def text(self) -> str:
        """The text."""

    @property
    def ok(self) -> bool:
        """False: an error result."""


Call = Callable[[str, Mapping[str, Any]], Awaitable[Said]]


def make_server(call: Call, names: Sequence[str] = TOOL_NAMES) -> Server[Any]:
    """A server that lists the named tools; each call, whatever its tool is called, goes to `call`.

    A result is one text content, as by every other way to the tools. There is no structured content beside
    it: it would hold what the cut has left out, and Codex and Claude Code give it to the model in the text's place.
    """
    listed = types.ListToolsResult(tools=[_described(tool) for tool in TOOLS if tool.name in names])

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return listed

    async def call_tool(_: Any, asked: types.CallToolRequestParams) -> types.CallToolResult:
        said = await call(asked.name, asked.arguments or {})
        content = types.TextContent(type="text", text=said.text)
        return types.CallToolResult(content=[content], is_error=not said.ok)

    return Server(
        NAME,
        version=version("pytest-aar"),
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _described(tool: Tool) -> types.Tool:
    hints = types.ToolAnnotations(
        read_only_hint=tool.name not in _ACTS, destructive_hint=False, open_world_hint=True
    )
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=schema(tool),
        annotations=hints,
        _meta=_META,
    )
