"""The agent `command`: any program that reads the task and writes its digit."""

import json
import os
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_aar import prompt
from pytest_aar.box import CommandResult, CommandSpec, bin_folder, search_path
from pytest_aar.errors import AgentCrashed, ConfigurationError
from pytest_aar.leg import ClueEnvelope
from pytest_aar.processes import base_interpreter
from pytest_aar.trace import Finish

from .agent_options import checked_options
from .answer import ANSWER_FILE, read_answer
from .cli_output import last_lines
from .named_programs import anchored, programs_in, shown_path
from .protocol import FAKE_KEY, Course, Limits
from .threads import in_thread
from .workdir import TASK_FILE, furnish

OPTIONS: Mapping[str, tuple[str, ...]] = {
    "bind": (),
    "command": (),
    "env": (),
    "name": (),
    "stdin": ("json", "null"),
    "version": (),
}
_SHELL_CANNOT = (126, 127)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandAgent:
    """A shell line. `inherited` are names of variables taken over from this process's environment.

    Placeholders in the line: `{task_file}`, `{answer_file}`, `{python}` (this interpreter) and `{start}`
    (the folder where pytest was started). Words that begin with `./` or `../` mean files below that folder.
    `bound` are files and folders that it needs to see beyond those that the line names.
    """

    command: str
    start: Path
    inherited: tuple[str, ...] = ()
    json_on_stdin: bool = False
    given_version: str = "0"
    bound: tuple[Path, ...] = ()
    name: str = "command"
    needs_model: bool = False
    boxed: bool = True
    how_to_call: str = prompt.BY_COMMAND

    def version(self) -> str:
        """As given by the option `version`."""
        return self.given_version

    def programs(self) -> tuple[Path, ...]:
        """What the command line names, and what the option `bind` adds."""
        line = self._line(str, Path("/race"))
        return (*programs_in(line, self.start), *self.bound)

    async def run(self, envelope: ClueEnvelope, course: Course, limits: Limits) -> Finish:
        """Run the program in the race's box, then read the answer file."""
        furnish(course.workdir, course.prompt)
        spec = CommandSpec(
            command=self._line(course.box.inside, course.workdir),
            workdir=course.workdir,
            timeout=limits.seconds,
            env=self._environment(course),
            stdin=_task_json(envelope, course) if self.json_on_stdin else None,
        )
        result = await in_thread(
            lambda: course.box.run(spec), name="aar-agent-command", stop=course.box.stop
        )
        return self._finish(result, course)

    def _line(self, inside: Callable[[Path], str], workdir: Path) -> str:
        values = {
            "{task_file}": inside(workdir / TASK_FILE),
            "{answer_file}": inside(workdir / ANSWER_FILE),
            "{python}": sys.executable,
            "{start}": str(self.start),
        }
        line = anchored(self.command, self.start)
        for placeholder, value in values.items():
            line = line.replace(placeholder, shlex.quote(value))
        return line

    def _environment(self, course: Course) -> dict[str, str]:
        inherited = {name: os.environ[name] for name in self.inherited if name in os.environ}
        inside = course.box.inside
        return {
            **inherited,
            "PATH": self._search_path(course),
            "AAR_GATEWAY": course.box.gateway_url(),
            "AAR_TASK_FILE": inside(course.workdir / TASK_FILE),
            "AAR_ANSWER_FILE": inside(course.workdir / ANSWER_FILE),
            "AAR_MODEL": course.model or "",
            "OPENAI_BASE_URL": f"{course.box.gateway_url()}/openai/v1",
            "OPENAI_API_KEY": FAKE_KEY,
            "ANTHROPIC_BASE_URL": f"{course.box.gateway_url()}/anthropic",
            "ANTHROPIC_API_KEY": FAKE_KEY,
        }

    def _search_path(self, course: Course) -> str:
        """The user's own programs must be found, as far as the box shows them; a path is no secret.

        Those installed beside the base interpreter, too: a version manager's shims would find them nowhere.
        """
        own_python = bin_folder(course.box.python_folder())
        base = search_path(own_python, os.path.dirname(base_interpreter()))
        own = os.environ.get("PATH", "")
        if course.box.name == "bwrap":
            own = shown_path(own, self.programs())
        return f"{base}:{own}".rstrip(":")

    def _finish(self, result: CommandResult, course: Course) -> Finish:
        finish = read_answer(course.workdir)
        if result.timed_out:
            return Finish(ending="timeout", answer=finish.answer, detail=finish.detail)
        if finish.answer is None and result.exit_code != 0:
            raise AgentCrashed(_crash(self.command, result))
        return finish


def _crash(command: str, result: CommandResult) -> str:
    last = last_lines(result.output.splitlines())
    hint = (
        " (the shell could not start it: check the option `command`; a relative path must begin with ./)"
        if result.exit_code in _SHELL_CANNOT
        else ""
    )
    return f"command {command!r} ended with exit code {result.exit_code}{hint}; its last lines:\n{last}"


def _task_json(envelope: ClueEnvelope, course: Course) -> str:
    task = {
        "prompt": course.prompt,
        "seed_url": envelope.seed_url,
        "clues": envelope.clues,
        "tools": list(envelope.tools),
        "step_budget": envelope.step_budget,
        "gateway": course.box.gateway_url(),
        "model": course.model,
    }
    return json.dumps(task)


def make(options: Mapping[str, str]) -> CommandAgent:
    """The agent from its options: `command` (needed), `bind`, `env`, `stdin`, `name`, `version`."""
    options = checked_options("command", options, OPTIONS)
    if not options.get("command", "").strip():
        raise ConfigurationError(
            "agent 'command' needs the program to run: "
            "--aar-agent-option command='./my_agent --task {task_file}'"
        )
    return CommandAgent(
        command=options["command"],
        start=Path.cwd(),
        inherited=tuple(filter(None, options.get("env", "").replace(",", " ").split())),
        json_on_stdin=options.get("stdin") == "json",
        given_version=options.get("version", "0"),
        bound=_bound(options.get("bind", "")),
        name=options.get("name", "command"),
    )


def _bound(text: str) -> tuple[Path, ...]:
    paths = [Path(word).expanduser().absolute() for word in text.split(",") if word.strip()]
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        raise ConfigurationError(
            f"agent 'command': bind names what is not there: {', '.join(missing)}; give files and folders as "
            "bind=PATH,PATH"
        )
    return tuple(paths)
