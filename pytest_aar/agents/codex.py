"""The agent `codex`: the real Codex CLI, headless, in the race's box, with the gateway for its model."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_aar.errors import ConfigurationError
from pytest_aar.trace import Finish

from . import codex_config
from .agent_options import checked_options, extra_arguments
from .cli_agent import CliAgent, Ended, Place, Start
from .cli_output import crash, events
from .mcp_tools import CHOICES, endpoint, wants_mcp
from .npm_program import NpmProgram, npm_platform
from .refusals import limit_in, refused_saying

OPTIONS: Mapping[str, tuple[str, ...]] = {
    "args": (),
    "context_window": (),
    "metadata": ("pinned", "own"),
    "program": (),
    "tools": CHOICES,
}
_TRIPLES = {
    "linux-x64": "x86_64-unknown-linux-musl",
    "linux-arm64": "aarch64-unknown-linux-musl",
    "darwin-x64": "x86_64-apple-darwin",
    "darwin-arm64": "aarch64-apple-darwin",
}
#: Stands in the folder with the binary and the programs that it starts (rg, the host of code mode).
_LAYOUT = "codex-package.json"
#: How Codex tells a reply that the model's server cut: at its limit of tokens, by its filter.
_CUT = "Incomplete response returned"


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
        policies=(Path("/etc/codex"),),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Codex:
    """`codex exec`. `extra` are further arguments.

    `own_metadata` leaves Codex its own list of models with their prompts and tools. `context_window` is the
    model's, in tokens; None: what the list of models says. `by_mcp`: the race's tools are an MCP server's.
    """

    extra: tuple[str, ...] = ()
    own_metadata: bool = False
    context_window: int | None = None
    by_mcp: bool = False

    def visible(self, binary: Path) -> Path:
        """The folder with the binary and its companions, or the binary alone."""
        folder = binary.parent.parent
        return folder if (folder / _LAYOUT).is_file() else binary

    def start(self, place: Place) -> Start:
        """A configuration for this race alone."""
        self._configure(place)
        box, course = place.course.box, place.course
        argv = codex_config.command_line(
            place.binary,
            workdir=box.inside(course.workdir),
            prompt=course.prompt,
            extra=self.extra,
        )
        env = codex_config.environment(place.inside(), tools_url=box.tools_url())
        return Start(argv=argv, env=env)

    def finish_of(self, ended: Ended) -> Finish:
        """The ending, from exit code and events."""
        turns = [
            event for event in events(ended.result) if str(event.get("type")).startswith("turn.")
        ]
        last = turns[-1] if turns else {}
        if last.get("type") == "turn.completed" and ended.result.exit_code == 0:
            return ended.found
        if last.get("type") != "turn.failed":
            raise crash("Codex ended without the end of a turn", ended.result)
        said = _message(last)
        # Codex tells its own failures in the same event, in words alone
        if ended.was_refused or limit_in(said) or said.startswith(_CUT):
            return refused_saying(said)
        raise crash(f"Codex failed: {said[:300]}", ended.result)

    def _configure(self, place: Place) -> None:
        folder, course = place.folders["config"], place.course
        model, catalog = course.model or "", folder / "models.json"
        if not self.own_metadata:
            listed = codex_config.catalog_json(model, whole_results=self.by_mcp)
            catalog.write_text(listed, encoding="utf-8")
        gateway_url = course.box.gateway_url()
        text = codex_config.config_toml(
            model=model,
            base_url=f"{gateway_url}/openai/v1",
            catalog=None if self.own_metadata else course.box.inside(catalog),
            seconds=place.limits.seconds,
            context_window=self.context_window,
        )
        if self.by_mcp:
            text += codex_config.server_toml(endpoint(gateway_url), seconds=place.limits.seconds)
        (folder / "config.toml").write_text(text, encoding="utf-8")


def _message(event: Mapping[str, Any]) -> str:
    error = event.get("error")
    return str(error.get("message", "")) if isinstance(error, Mapping) else str(error)


def make(options: Mapping[str, str]) -> CliAgent:
    """The agent from its options: `args`, `context_window`, `metadata`, `program`, `tools`."""
    given = checked_options("codex", options, OPTIONS)
    by_mcp = wants_mcp("codex", given)
    cli = Codex(
        extra=extra_arguments("codex", given.get("args", "")),
        own_metadata=given.get("metadata") == "own",
        context_window=_tokens(given.get("context_window")),
        by_mcp=by_mcp,
    )
    return CliAgent(
        name="codex", npm=npm_program(), cli=cli, given=given.get("program"), by_mcp=by_mcp
    )


def _tokens(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise ConfigurationError(
            f"agent 'codex': context_window={text!r} is not a number of tokens above 0"
        )
    return int(text)
