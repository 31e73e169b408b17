"""The agent `claude-code`: the real Claude Code CLI, headless, in the race's box, over the gateway."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_aar.errors import InfrastructureError
from pytest_aar.trace import Finish

from . import claude_code_start
from .agent_options import checked_options, extra_arguments
from .cli_agent import CliAgent, Ended, Place, Start
from .cli_output import crash, events, first_event
from .mcp_tools import CHOICES, SERVER, endpoint, wants_mcp
from .npm_program import NpmProgram, npm_platform
from .refusals import limit_in, refused

OPTIONS: Mapping[str, tuple[str, ...]] = {
    "args": (),
    "mode": ("bare", "full"),
    "program": (),
    "tools": CHOICES,
}
_PACKAGE = "@anthropic-ai/claude-code"
#: What the model did that Claude Code takes for an error: its reason for stopping, and what it is called.
_STOPPED = {
    "refusal": "the model refused to go on",
    "max_tokens": "the model's reply was cut at its limit of tokens",
}
#: The same limit, where Claude Code puts a reason of its own in the place of the model's.
_CUT = "output token maximum"
#: Limits of Claude Code's own, set by the option `args`.
_OWN_LIMITS = ("error_max_turns", "error_max_budget_usd")
#: What it says of a server that it has reached.
_CONNECTED = "connected"
_POLICIES = Path("/etc/claude-code")
_MAC_POLICIES = Path("/Library/Application Support/ClaudeCode")


def npm_program() -> NpmProgram:
    """Claude Code as npm installs it on this platform."""
    name = npm_platform()
    return NpmProgram(
        agent="claude-code",
        command="claude",
        package=_PACKAGE,
        tested="2.1.197",
        oldest="2.1.190",
        newest="2.1.197",
        natives=(f"{_PACKAGE}-{name}/claude", f"{_PACKAGE}-{name}-musl/claude"),
        policies=(_MAC_POLICIES if sys.platform == "darwin" else _POLICIES,),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaudeCode:
    """`claude -p`. `extra` are further arguments.

    `full` leaves it its own long prompt and six tools; else it is run with `--bare`. `by_mcp`: the race's
    tools are an MCP server's.
    """

    extra: tuple[str, ...] = ()
    full: bool = False
    by_mcp: bool = False

    def visible(self, binary: Path) -> Path:
        """The binary: all of Claude Code is in it."""
        return binary

    def start(self, place: Place) -> Start:
        """Fixed ids for this race, and no other configuration than command line and environment."""
        identity = place.folders["config"] / ".claude.json"
        identity.write_text(claude_code_start.IDENTITY, encoding="utf-8")
        course = place.course
        argv = claude_code_start.command_line(
            place.binary,
            model=course.model or "",
            prompt=course.prompt,
            full=self.full,
            servers=self._servers(place),
            extra=self.extra,
        )
        env = claude_code_start.environment(
            place.inside(),
            gateway_url=course.box.gateway_url(),
            tools_url=course.box.tools_url(),
            full=self.full,
            seconds=place.limits.seconds,
        )
        if self.by_mcp:
            env |= claude_code_start.server_environment(seconds=place.limits.seconds)
        return Start(argv=argv, env=env)

    def _servers(self, place: Place) -> str | None:
        if not self.by_mcp:
            return None
        file, box = place.folders["config"] / "mcp.json", place.course.box
        url = endpoint(box.gateway_url())
        file.write_text(claude_code_start.servers_json(url), encoding="utf-8")
        return box.inside(file)

    def finish_of(self, ended: Ended) -> Finish:
        """The ending, from exit code and result line."""
        result = ended.result
        said = [event for event in events(result) if event.get("type") == "result"]
        begun = first_event(result, subtype="init")
        if self.by_mcp and (begun or said):
            _check_server(begun)
        if not said:
            raise crash("Claude Code ended without a result", result)
        if not said[-1].get("is_error"):
            if result.exit_code != 0:
                raise crash("Claude Code failed after its result", result)
            return _with_denials(ended.found, said[-1])
        finish = _of_error(said[-1], was_refused=ended.was_refused)
        if finish is None:
            raise crash(f"Claude Code failed: {_text(said[-1])[:300]}", result)
        return finish


def _check_server(begun: Mapping[str, Any]) -> None:
    """Claude Code races on without a server that it did not reach: without any tool."""
    found = {server.get("name"): server.get("status") for server in begun.get("mcp_servers") or ()}
    status = found.get(SERVER, "nothing of it")
    if status != _CONNECTED:
        raise InfrastructureError(
            f"Claude Code did not reach the race's MCP server, it says: {status}. Race again, or with "
            "--aar-agent-option=tools=shell"
        )


def _of_error(said: Mapping[str, Any], *, was_refused: bool) -> Finish | None:
    """The agent's own ending behind an error, None where it is a crash."""
    reason = "max_tokens" if _CUT in _text(said) else str(said.get("stop_reason"))
    stopped = _STOPPED.get(reason)
    if stopped is not None:
        return Finish(ending="no-answer", detail=f"{stopped}: {_text(said)[:300]}")
    if said.get("subtype") in _OWN_LIMITS:
        return Finish(ending="step-limit", detail=f"a limit of its own: {_text(said)[:300]}")
    status = said.get("api_error_status")
    is_heard = was_refused or limit_in(_text(said))
    return refused(status, _text(said)) if is_heard and isinstance(status, int) else None


def _text(said: Mapping[str, Any]) -> str:
    return str(said.get("result") or said.get("errors") or said.get("subtype") or "")


def _with_denials(found: Finish, said: Mapping[str, Any]) -> Finish:
    """A missing answer with the tools that Claude Code did not permit (its option `args` can make it)."""
    denials = said.get("permission_denials")
    if found.answer is not None or not isinstance(denials, list) or not denials:
        return found
    tools = sorted({str(denial.get("tool_name")) for denial in denials})
    return Finish(
        ending=found.ending,
        detail=f"{found.detail}; Claude Code permitted no use of {', '.join(tools)}",
    )


def make(options: Mapping[str, str]) -> CliAgent:
    """The agent from its options: `args`, `mode`, `program`, `tools`."""
    given = checked_options("claude-code", options, OPTIONS)
    by_mcp = wants_mcp("claude-code", given)
    cli = ClaudeCode(
        extra=extra_arguments("claude-code", given.get("args", "")),
        full=given.get("mode") == "full",
        by_mcp=by_mcp,
    )
    return CliAgent(
        name="claude-code", npm=npm_program(), cli=cli, given=given.get("program"), by_mcp=by_mcp
    )
