"""The agent `codex`: the real Codex CLI, headless, in the race's box, with the gateway for its model."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_aar import prompt
from pytest_aar.box import CommandResult
from pytest_aar.leg import ClueEnvelope
from pytest_aar.trace import Finish

from . import codex_config
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
from .refusals import refused_saying
from .workdir import furnish

OPTIONS: Mapping[str, tuple[str, ...]] = {
    "args": (),
    "metadata": ("pinned", "own"),
    "program": (),
}
_TRIPLES = {
    "linux-x64": "x86_64-unknown-linux-musl",
    "linux-arm64": "aarch64-unknown-linux-musl",
    "darwin-x64": "x86_64-apple-darwin",
    "darwin-arm64": "aarch64-apple-darwin",
}
#: Stands in the folder with the binary and the programs that it starts (rg, the host of code mode).
_LAYOUT = "codex-package.json"


def npm_program() -> NpmProgram:
    """Codex as npm installs it on this platform."""
    name = npm_platform()
    triple = _TRIPLES.get(name, name)
    return NpmProgram(
        agent="codex",
        command="codex",
        package="@openai/codex",
        tested="0.171.0",
        oldest="0.171.0",
        newest="0.171.0",
        natives=(f"@openai/codex-{name}/vendor/{triple}/bin/codex",),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CodexAgent:
    """Runs `codex exec`. `program` is where it is, None to look for it; `extra` are further arguments.

    `own_metadata` leaves Codex its own list of models with their prompts and tools.
    """

    program: str | None = None
    extra: tuple[str, ...] = ()
    own_metadata: bool = False
    name: str = "codex"
    needs_model: bool = True
    boxed: bool = True
    how_to_call: str = prompt.BY_COMMAND

    def version(self) -> str:
        """The version of the binary; raises AgentNotInstalled."""
        return version_of(self._binary())

    def programs(self) -> tuple[Path, ...]:
        """The folder with the binary and its companions, or the binary alone."""
        binary = self._binary()
        folder = binary.parent.parent
        return (folder,) if (folder / _LAYOUT).is_file() else (binary,)

    async def run(self, envelope: ClueEnvelope, course: Course, limits: Limits) -> Finish:
        """Race to the end: an end that Codex did not announce is a crash."""
        furnish(course.workdir, course.prompt)
        folders = private_folders(course.workdir, "home", "config", "tmp")
        self._configure(folders["config"], course, limits)
        box = course.box
        argv = codex_config.command_line(
            self._binary(),
            workdir=box.inside(course.workdir),
            prompt=course.prompt,
            extra=self.extra,
        )
        inside = {name: box.inside(folder) for name, folder in folders.items()}
        env = codex_config.environment(inside, tools_url=box.tools_url())
        return finish_of(await run_boxed(course, limits, argv, env), course.workdir)

    def _binary(self) -> Path:
        return npm_program().find(self.program)

    def _configure(self, folder: Path, course: Course, limits: Limits) -> None:
        model, catalog = course.model or "", folder / "models.json"
        if not self.own_metadata:
            catalog.write_text(codex_config.catalog_json(model), encoding="utf-8")
        text = codex_config.config_toml(
            model=model,
            base_url=f"{course.box.gateway_url()}/openai/v1",
            catalog=None if self.own_metadata else course.box.inside(catalog),
            seconds=limits.seconds,
        )
        (folder / "config.toml").write_text(text, encoding="utf-8")


def finish_of(result: CommandResult, workdir: Path) -> Finish:
    """The ending, from exit code and events; raises AgentCrashed where Codex did not say how it ended."""
    found = read_answer(workdir)
    if result.timed_out:
        return Finish(ending="timeout", answer=found.answer, detail=found.detail)
    turns = [event for event in events(result) if str(event.get("type")).startswith("turn.")]
    last = turns[-1] if turns else {}
    if last.get("type") == "turn.completed" and result.exit_code == 0:
        return found
    if last.get("type") == "turn.failed":
        return refused_saying(_message(last))
    raise crash("Codex ended without the end of a turn", result)


def _message(event: Mapping[str, Any]) -> str:
    error = event.get("error")
    return str(error.get("message", "")) if isinstance(error, Mapping) else str(error)


def make(options: Mapping[str, str]) -> CodexAgent:
    """The agent from its options: `args`, `metadata`, `program`."""
    given = checked_options("codex", options, OPTIONS)
    return CodexAgent(
        program=given.get("program"),
        extra=extra_arguments("codex", given.get("args", "")),
        own_metadata=given.get("metadata") == "own",
    )
