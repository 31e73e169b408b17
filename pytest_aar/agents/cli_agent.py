"""Agents that are real CLIs from npm: one run without a person in the race's box. What differs is a `Cli`."""

import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pytest_aar import prompt
from pytest_aar.box import CommandResult, CommandSpec
from pytest_aar.errors import AgentCrashed
from pytest_aar.leg import ClueEnvelope
from pytest_aar.tools.mcp_extra import loaded
from pytest_aar.trace import Finish

from .answer import read_answer
from .npm_program import NpmProgram
from .protocol import Course, Limits
from .threads import in_thread
from .workdir import furnish, put_task

#: What the CLIs keep for themselves lies in this folder of the work folder: home, configuration, temporary files.
PRIVATE = ".agent"
_FOLDERS = ("home", "config", "tmp")
#: Added to the number of a signal that a program caught: its exit status.
_CAUGHT = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a CLI is started: its binary, and a home, a configuration and a folder for temporary files of its own."""

    binary: Path
    folders: Mapping[str, Path]
    course: Course
    limits: Limits

    def inside(self) -> dict[str, str]:
        """The folders as the CLI sees them in the box."""
        return {name: self.course.box.inside(folder) for name, folder in self.folders.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A command line, and its environment beside the box's own variables."""

    argv: tuple[str, ...]
    env: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A run that ended before its time: `found` is what the answer file says.

    `was_refused`: the last thing that the CLI heard from the gateway was the refusal of a model's server.
    """

    result: CommandResult
    found: Finish
    was_refused: bool = False


class Cli(Protocol):
    """What differs from CLI to CLI."""

    def visible(self, binary: Path) -> Path:
        """The file or folder that a box must show for the binary to run."""
        ...

    def start(self, place: Place) -> Start:
        """Write the configuration; say how the race is started."""
        ...

    def finish_of(self, ended: Ended) -> Finish:
        """How the race ended; raises AgentCrashed where the CLI did not say it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CliAgent:
    """Runs a CLI. `given` is where its binary is, None to look for it; `by_mcp`: it gets its tools by MCP."""

    name: str
    npm: NpmProgram
    cli: Cli
    given: str | None = None
    by_mcp: bool = False
    needs_model: bool = True
    boxed: bool = True

    @property
    def how_to_call(self) -> str:
        """The prompt's paragraph."""
        return prompt.BY_MCP if self.by_mcp else prompt.BY_COMMAND

    @property
    def recorded_as(self) -> str:
        """With its tools by MCP it asks the model otherwise: such races have cassettes of their own."""
        return f"{self.name}-mcp" if self.by_mcp else self.name

    def version(self) -> str:
        """The version of the binary; raises AgentNotInstalled."""
        return self.npm.version(self.given)

    def programs(self) -> tuple[Path, ...]:
        """The binary with what belongs to it."""
        return (self.cli.visible(self.npm.find(self.given)),)

    async def run(self, envelope: ClueEnvelope, course: Course, limits: Limits) -> Finish:
        """Race to the end: one that neither the CLI announced nor the agent brought about is a crash."""
        await self._furnish(course)
        place = Place(
            binary=self.npm.find(self.given),
            folders=_private_folders(course.workdir),
            course=course,
            limits=limits,
        )
        result = await _run_boxed(place, self.cli.start(place))
        found = read_answer(course.workdir)
        if result.timed_out:
            return Finish(ending="timeout", answer=found.answer, detail=found.detail)
        ended = Ended(result=result, found=found, was_refused=course.was_refused())
        try:
            return self.cli.finish_of(ended)
        except AgentCrashed as crashed:
            finish = own_ending(ended, crashed)
            if finish is None:
                raise
            return finish

    async def _furnish(self, course: Course) -> None:
        if not self.by_mcp:
            furnish(course.workdir, course.prompt)
            return
        put_task(course.workdir, course.prompt)
        # now, and in a thread: CLIs don't wait long for a server
        await in_thread(loaded, name="aar-agent-mcp", stop=lambda: None)


def own_ending(ended: Ended, crashed: AgentCrashed) -> Finish | None:
    """The ending of a crash that the agent may have made itself; None where only the CLI can have failed.

    Its commands can kill the CLI: such a race is not raced again.
    """
    if ended.found.answer is not None:
        return ended.found
    number = _signal_of(ended.result.exit_code)
    if number is None:
        return None
    return Finish(ending="no-answer", detail=f"ended by signal {number}: {crashed}")


def _signal_of(status: int) -> int | None:
    """The signal that ended a program, or that it caught and reported as shells do."""
    if status < 0:
        return -status
    return status - _CAUGHT if _CAUGHT < status < _CAUGHT + signal.NSIG else None


def _private_folders(workdir: Path) -> dict[str, Path]:
    folders = {name: workdir / PRIVATE / name for name in _FOLDERS}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    return folders


async def _run_boxed(place: Place, start: Start) -> CommandResult:
    """Run the program to its end in the race's box; standard input is /dev/null."""
    box = place.course.box
    spec = CommandSpec(
        command=start.argv,
        workdir=place.course.workdir,
        timeout=place.limits.seconds,
        env=start.env,
    )
    return await in_thread(lambda: box.run(spec), name="aar-agent-cli", stop=box.stop)
