"""The option `tools` of the CLIs: the race's tools by commands in the shell, or as an MCP server's."""

from collections.abc import Mapping

from pytest_aar.errors import AgentNotInstalled
from pytest_aar.extras import install
from pytest_aar.tools.mcp_extra import is_there

#: Values of the option; the first is the default.
CHOICES = ("shell", "mcp")
#: What the CLIs know the server by. It stands before the tools' names in requests to the model.
SERVER = "aar"
#: Seconds in which the server must be found; it is on this machine.
START_SECONDS = 60


def wants_mcp(agent: str, options: Mapping[str, str]) -> bool:
    """Whether the tools are to be an MCP server's; raises AgentNotInstalled without the SDK."""
    if options.get("tools", CHOICES[0]) != "mcp":
        return False
    if not is_there():
        raise AgentNotInstalled(
            f"agent {agent!r} with tools=mcp needs the package mcp, 2.3 or newer: {install('mcp')}"
        )
    return True


def endpoint(gateway_url: str) -> str:
    """Where a race's tools are served by MCP."""
    return f"{gateway_url}/mcp"
