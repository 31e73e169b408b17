"""What Claude Code is started with: command line, environment, the ids of its configuration."""

import json
from collections.abc import Mapping
from pathlib import Path

from pytest_aar.box import shell

from .mcp_tools import SERVER, START_SECONDS
from .protocol import FAKE_KEY

#: Ids that Claude Code would draw anew for each run and send with each request.
IDENTITY = json.dumps({"userID": "0" * 64, "machineID": "0" * 63 + "1"})
_SESSION = "00000000-0000-4000-8000-000000000001"
#: Milliseconds that one command of the Bash tool may take.
_COMMAND_TIME = "120000"
#: Of a tool's result: more than the longest has, so that it is not put into a file.
_TOKENS = "200000"

_FIXED = (
    *("-p", "--setting-sources", "", "--strict-mcp-config", "--disable-slash-commands"),
    *("--no-session-persistence", "--session-id", _SESSION),
    *("--dangerously-skip-permissions",),
)
#: The result alone; or all events, the first of which tells what became of the servers.
_RESULT = ("--output-format", "json")
_EVENTS = ("--output-format", "stream-json", "--verbose")
#: Without hooks, memory and project files: a short prompt and the tools Bash, Edit, Read.
_BARE = ("--bare",)
#: Claude Code's own long prompt, with the tools that work on files.
_FULL = ("--tools", "Bash,Read,Edit,Write,Glob,Grep")
_FULL_ENVIRONMENT = {
    "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_AGENT_SDK_DISABLE_BUILTIN_AGENTS": "1",
}
_QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_ATTRIBUTION_HEADER": "0",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS": "1",
    "CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK": "1",
    "CLAUDE_CODE_MAX_RETRIES": "0",
    "NO_PROXY": "127.0.0.1,localhost",
    # it refuses to skip permissions as root, unless it is told that it runs in a sandbox
    "IS_SANDBOX": "1",
}


def command_line(
    binary: Path,
    *,
    model: str,
    prompt: str,
    full: bool,
    servers: str | None = None,
    extra: tuple[str, ...],
) -> tuple[str, ...]:
    """One run without a person; the result is one JSON object at its end. `servers` is the path of their file."""
    mode = _FULL if full else _BARE
    how = _RESULT if servers is None else (*_EVENTS, "--mcp-config", servers)
    return (str(binary), *_FIXED, *how, *mode, "--model", model, *extra, "--", prompt)


def servers_json(url: str) -> str:
    """The text of the file that gives Claude Code the race's tools by MCP."""
    return json.dumps({"mcpServers": {SERVER: {"type": "http", "url": url}}})


def server_environment(*, seconds: float) -> dict[str, str]:
    """What makes Claude Code wait for the server and offer all its tools, with their results as they are."""
    return {
        "MCP_CONNECTION_NONBLOCKING": "false",
        "MCP_CONNECT_TIMEOUT_MS": str(START_SECONDS * 1000),
        "MCP_TIMEOUT": str(START_SECONDS * 1000),
        "MCP_TOOL_TIMEOUT": str(max(1, int(seconds * 1000))),
        "MAX_MCP_OUTPUT_TOKENS": _TOKENS,
        "ENABLE_TOOL_SEARCH": "false",
    }


def environment(
    folders: Mapping[str, str], *, gateway_url: str, tools_url: str, full: bool, seconds: float
) -> dict[str, str]:
    """Beside the box's own variables. `folders` has home, config and tmp, as seen inside the box.

    A reply may take as long as the race lasts: the gateway, not Claude Code, judges the model's server.
    """
    return {
        **_QUIET,
        **(_FULL_ENVIRONMENT if full else {}),
        "HOME": folders["home"],
        "CLAUDE_CONFIG_DIR": folders["config"],
        "TMPDIR": folders["tmp"],
        "SHELL": shell(),
        "ANTHROPIC_BASE_URL": f"{gateway_url}/anthropic",
        "ANTHROPIC_API_KEY": FAKE_KEY,
        "API_TIMEOUT_MS": str(max(1, int(seconds * 1000))),
        "BASH_DEFAULT_TIMEOUT_MS": _COMMAND_TIME,
        "AAR_GATEWAY": tools_url,
    }
