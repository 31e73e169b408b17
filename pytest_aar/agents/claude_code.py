"""The agent `claude-code`: the real Claude Code CLI, headless, in the race's box, over the gateway."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_aar import prompt
from pytest_aar.box import CommandResult
from pytest_aar.leg import ClueEnvelope
from pytest_aar.trace import Finish

from . import claude_code_start
from .answer import read_answer
from .native_program import (
    NpmProgram,
    checked_options,
    crash,
    events,
    extra_arguments,
    npm_platform,
    private_folders,
    run_boxed,
    version_of,
)
from .protocol import Course, Limits
from .refusals import refused
from .workdir import furnish

OPTIONS: Mapping[str, tuple[str, ...]] = {"args": (), "mode": ("bare", "full"), "program": ()}
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
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaudeCodeAgent:
    """Runs `claude -p`. `program` is where it is, None to look for it; `extra` are further arguments.

    `full` leaves it its own long prompt and six tools; else it is run with `--bare`.
    """

    program: str | None = None
    extra: tuple[str, ...] = ()
    full: bool = False
    name: str = "claude-code"
    needs_model: bool = True
    boxed: bool = True
    how_to_call: str = prompt.BY_COMMAND

    def version(self) -> str:
        """The version of the binary; raises AgentNotInstalled."""
        return version_of(self._binary())

    def programs(self) -> tuple[Path, ...]:
        """The binary: all of Claude Code is in it."""
        return (self._binary(),)

    async def run(self, envelope: ClueEnvelope, course: Course, limits: Limits) -> Finish:
        """Race to the end: an end without a result line is a crash."""
        furnish(course.workdir, course.prompt)
        folders = private_folders(course.workdir, "home", "config", "tmp")
        (folders["config"] / ".claude.json").write_text(
            claude_code_start.IDENTITY, encoding="utf-8"
        )
        argv = claude_code_start.command_line(
            self._binary(),
            model=course.model or "",
            prompt=course.prompt,
            full=self.full,
            extra=self.extra,
        )
        env = claude_code_start.environment(
            {name: course.box.inside(folder) for name, folder in folders.items()},
            gateway_url=course.box.gateway_url(),
            tools_url=course.box.tools_url(),
            full=self.full,
            seconds=limits.seconds,
        )
        return finish_of(await run_boxed(course, limits, argv, env), course.workdir)

    def _binary(self) -> Path:
        return npm_program().find(self.program)


def finish_of(result: CommandResult, workdir: Path) -> Finish:
    """The ending, from exit code and result line; raises AgentCrashed where there is none that says it."""
    found = read_answer(workdir)
    if result.timed_out:
        return Finish(ending="timeout", answer=found.answer, detail=found.detail)
    said = [event for event in events(result) if event.get("type") == "result"]
    if not said:
        raise crash("Claude Code ended without a result", result)
    if not said[-1].get("is_error"):
        if result.exit_code != 0:
            raise crash("Claude Code failed after its result", result)
        return _with_denials(found, said[-1])
    finish = _of_error(said[-1])
    if finish is None:
        raise crash(f"Claude Code failed: {_text(said[-1])[:300]}", result)
    return finish


def _of_error(said: Mapping[str, Any]) -> Finish | None:
    """The agent's own ending behind an error, None where it is a crash."""
    reason = "max_tokens" if _CUT in _text(said) else str(said.get("stop_reason"))
    stopped = _STOPPED.get(reason)
    if stopped is not None:
        return Finish(ending="no-answer", detail=f"{stopped}: {_text(said)[:300]}")
    if said.get("subtype") in _OWN_LIMITS:
        return Finish(ending="step-limit", detail=f"a limit of its own: {_text(said)[:300]}")
    status = said.get("api_error_status")
    return refused(status, _text(said)) if isinstance(status, int) else None


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


def make(options: Mapping[str, str]) -> ClaudeCodeAgent:
    """The agent from its options: `args`, `mode`, `program`."""
    given = checked_options("claude-code", options, OPTIONS)
    return ClaudeCodeAgent(
        program=given.get("program"),
        extra=extra_arguments("claude-code", given.get("args", "")),
        full=given.get("mode") == "full",
    )
