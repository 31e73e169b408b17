"""The agent `mini-swe`: the real mini-swe-agent 2.4, in process, over the gateway and the race's box."""

import asyncio
import importlib
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from pytest_aar import prompt
from pytest_aar.errors import AarError, AgentCrashed, AgentNotInstalled, ConfigurationError
from pytest_aar.extras import install
from pytest_aar.leg import ClueEnvelope
from pytest_aar.trace import Ending, Finish

from .agent_options import checked_options
from .answer import read_answer
from .protocol import Course, Limits
from .refusals import refused
from .threads import in_thread
from .workdir import furnish

PACKAGE = "mini-swe-agent"
TESTED_VERSION = "2.4.6"
INSTALL = "aar install mini-swe"
OPTIONS: Mapping[str, tuple[str, ...]] = {"command_timeout": ()}

#: mini-swe-agent's exit status -> how the race ended. Anything else is a crash.
ENDINGS: Mapping[str, Ending] = {
    "Submitted": "answered",
    "LimitsExceeded": "step-limit",
    "TimeExceeded": "timeout",
    "RepeatedFormatError": "no-answer",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MiniSweAgent:
    """Runs `DefaultAgent` with our Model, Environment and prompt configuration in a thread.

    `command_timeout` is the seconds that one shell command may take.
    """

    command_timeout: float = 60.0
    name: str = "mini-swe"
    needs_model: bool = True
    boxed: bool = True
    how_to_call: str = prompt.BY_COMMAND

    def version(self) -> str:
        """The installed version."""
        try:
            return version(PACKAGE)
        except PackageNotFoundError as error:
            raise _not_installed(str(error)) from error

    async def run(self, envelope: ClueEnvelope, course: Course, limits: Limits) -> Finish:
        """Race to the end; a cancelled race ends its thread at the next command or model call."""
        parts = load()
        furnish(course.workdir, course.prompt)
        deadline = time.monotonic() + limits.seconds
        model = parts.GatewayModel(course, asyncio.get_running_loop())
        environment = parts.BoxEnvironment(
            course, command_timeout=self.command_timeout, deadline=deadline
        )
        agent = parts.make_agent(model, environment)

        def stop() -> None:
            model.stop()
            course.box.stop()

        race = _Race(agent, model, parts.GatewayRefusal)
        status = await in_thread(
            lambda: race.run(course.prompt), name="aar-agent-mini-swe", stop=stop
        )
        return _finish(status, course)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Status:
    """How the agent's run ended: mini-swe-agent's exit status, or the refused model call."""

    exit_status: str
    refusal: tuple[int, str] | None = None


@dataclass(frozen=True, slots=True)
class _Race:
    agent: Any
    model: Any
    refusal: Any = field(repr=False)

    def run(self, task: str) -> _Status:
        try:
            extra = self.agent.run(task)
        except self.refusal as refusal:
            return _Status(exit_status="Refused", refusal=(refusal.status, refusal.text))
        except AarError:
            raise
        except Exception as error:
            # DefaultAgent lets everything through that it does not know; all of it is its own doing.
            raise AgentCrashed(
                f"mini-swe-agent {version(PACKAGE)} died: {type(error).__name__}: {error}"
            ) from error
        return _Status(exit_status=str(extra.get("exit_status", "")))


def _finish(status: _Status, course: Course) -> Finish:
    found = read_answer(course.workdir)
    if status.refusal is not None:
        ended = refused(*status.refusal)
        return Finish(ending=ended.ending, answer=found.answer, detail=ended.detail)
    if status.exit_status not in ENDINGS:
        known = ", ".join(ENDINGS)
        raise AgentCrashed(
            f"mini-swe-agent ended with exit status {status.exit_status!r}; known: {known}"
        )
    ending = ENDINGS[status.exit_status]
    if ending == "answered" and found.answer is None:
        return found
    if ending == "no-answer":
        return Finish(
            ending=ending, answer=found.answer, detail=f"{status.exit_status}: {found.detail}"
        )
    return Finish(ending=ending, answer=found.answer, detail=found.detail)


def load() -> Any:
    """The module with the parts that build on mini-swe-agent; imports it, quietly, the first time.

    Raises:
        AgentNotInstalled: says what is missing and the command that installs it.
    """
    try:
        version(PACKAGE)
        with _quiet_import():
            return importlib.import_module("pytest_aar.agents.mini_swe_parts")
    except (PackageNotFoundError, ModuleNotFoundError) as error:
        raise _not_installed(str(error)) from error


def _not_installed(what: str) -> AgentNotInstalled:
    return AgentNotInstalled(
        f"agent 'mini-swe' needs mini-swe-agent {TESTED_VERSION} ({what}); install it with `{INSTALL}` "
        f"(or with pip install --no-deps mini-swe-agent=={TESTED_VERSION} and {install('mini-swe')})"
    )


@contextmanager
def _quiet_import() -> Iterator[None]:
    """Set what mini-swe-agent reads when it is imported, and take it away again afterwards.

    Without it, the import makes a folder in the user's HOME, loads the .env there into this process,
    and prints a banner.
    """
    with tempfile.TemporaryDirectory(prefix="aar-mini-") as folder:
        settings = {"MSWEA_SILENT_STARTUP": "1", "MSWEA_GLOBAL_CONFIG_DIR": folder}
        before = {name: os.environ.get(name) for name in settings}
        os.environ.update(settings)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


def make(options: Mapping[str, str]) -> MiniSweAgent:
    """The agent from its options: `command_timeout` (seconds)."""
    options = checked_options("mini-swe", options, OPTIONS)
    text = options.get("command_timeout", "60")
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if seconds <= 0:
        raise ConfigurationError(
            f"agent 'mini-swe': command_timeout={text!r} is not a number of seconds above 0"
        )
    return MiniSweAgent(command_timeout=seconds)
