"""The tools of an open world, as the steps call them."""

import json
from collections.abc import Mapping
from typing import Any

from pytest_aar import tools
from pytest_aar.golden import ToolReply
from pytest_aar.tools.answered import answered

from .draft import CallTool


def caller(services: tools.Services) -> CallTool:
    """Calls the tools with these services; one that does not answer is an InfrastructureError, no gate's matter."""

    async def call_tool(name: str, arguments: Mapping[str, Any]) -> ToolReply:
        return await answered(name, arguments, services)

    return call_tool


def asked_once(call_tool: CallTool) -> CallTool:
    """The same, each question asked once: its reply is kept."""
    replies: dict[str, ToolReply] = {}

    async def call(name: str, arguments: Mapping[str, Any]) -> ToolReply:
        question = f"{name} {json.dumps(arguments, sort_keys=True)}"
        if question not in replies:
            replies[question] = await call_tool(name, arguments)
        return replies[question]

    return call
