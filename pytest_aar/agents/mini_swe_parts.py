"""Our Model, Environment and prompt configuration for mini-swe-agent. Imported only by `mini_swe.load`.

The configuration is ours and pinned: a new release of the agent, or another kernel, must not change the
prompt and break replays.
"""

import asyncio
import time
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import httpx
from minisweagent.agents.default import DefaultAgent
from minisweagent.exceptions import FormatError, Submitted, TimeExceeded
from minisweagent.models.utils.actions_toolcall import (
    BASH_TOOL,
    format_toolcall_observation_messages,
    parse_toolcall_actions,
)
from pydantic import BaseModel

from pytest_aar.box import CommandResult, CommandSpec

from .protocol import Course

FINISHED = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"

SYSTEM_TEMPLATE = "You solve a task step by step with shell commands."

INSTANCE_TEMPLATE = """\
{{task}}
Work with the bash tool: every reply has at least one call of it. Each command runs in a new shell in your \
working directory; directory and variables are not kept, files are.

When the answer is written, end the race with this command alone, or after && in the command that writes it:
echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT
"""

OBSERVATION_TEMPLATE = """\
{%- if output.output | length < 20000 -%}
{"returncode": {{ output.returncode }}, "output": {{ output.output | tojson }}
{%- else -%}
{"returncode": {{ output.returncode }}, "output_head": {{ output.output[:15000] | tojson }}, \
"output_tail": {{ output.output[-5000:] | tojson }}, \
"elided_characters": {{ output.output | length - 20000 }}
{%- endif -%}
{%- if output.exception_info %}, "problem": {{ output.exception_info | tojson }}{% endif %}}"""

FORMAT_ERROR_TEMPLATE = """\
{{ error }} Every reply needs at least one call of the bash tool with the argument "command". \
To end the race: echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"""

#: What mini-swe-agent would take from `uname`; pinned, though our templates don't use it.
MACHINE = {"system": "Linux", "release": "6", "version": "1", "machine": "x86_64"}

_ENVIRONMENT = {"PAGER": "cat", "MANPAGER": "cat", "LESS": "-R", "TERM": "dumb"}


class GatewayRefusal(Exception):
    """The gateway or the model's server refused a call; the agent stops at once."""

    def __init__(self, status: int, text: str) -> None:
        self.status, self.text = status, text
        super().__init__(f"{status}: {text[:200]}")


class ModelConfig(BaseModel):
    """What goes into mini-swe-agent's template variables and trajectory."""

    model_name: str


class GatewayModel:
    """mini-swe-agent's Model protocol over the race's in-process client."""

    def __init__(self, course: Course, loop: asyncio.AbstractEventLoop) -> None:
        self.config = ModelConfig(model_name=course.model or "")
        self._http, self._loop = course.http, loop
        self._stopped = False

    def stop(self) -> None:
        """Make the next query end the run."""
        self._stopped = True

    def query(self, messages: list[dict[str, Any]], **_: Any) -> dict[str, Any]:
        """One model call.

        Raises:
            FormatError: the reply holds no proper call of the bash tool.
            GatewayRefusal: an error reply.
            TimeExceeded: the race was stopped.
        """
        if self._stopped:
            raise TimeExceeded(_exit("TimeExceeded"))
        body = {
            "model": self.config.model_name,
            "messages": [_plain(message) for message in messages],
            "tools": [BASH_TOOL],
        }
        sent = asyncio.run_coroutine_threadsafe(self._post(body), self._loop)
        reply = sent.result()
        if not reply.is_success:
            raise GatewayRefusal(reply.status_code, reply.text)
        return _with_actions(reply)

    async def _post(self, body: dict[str, Any]) -> httpx.Response:
        return await self._http.post("openai/v1/chat/completions", json=body)

    def format_message(self, **parts: Any) -> dict[str, Any]:
        """A message is its parts."""
        return parts

    def format_observation_messages(
        self,
        message: dict[str, Any],
        outputs: list[dict[str, Any]],
        template_vars: dict[str, Any] | None = None,
    ) -> list[dict[str, Any]]:
        """One `tool` message for each action."""
        found: list[dict[str, Any]] = format_toolcall_observation_messages(
            actions=message.get("extra", {}).get("actions", []),
            outputs=outputs,
            observation_template=OBSERVATION_TEMPLATE,
            template_vars=template_vars,
        )
        return found

    def get_template_vars(self, **_: Any) -> dict[str, Any]:
        """The model's name."""
        return self.config.model_dump()

    def serialize(self) -> dict[str, Any]:
        """For the trajectory."""
        return {"info": {"config": {"model": self.config.model_dump()}}}


class BoxEnvironment:
    """mini-swe-agent's Environment protocol over the race's box."""

    def __init__(self, course: Course, *, command_timeout: float, deadline: float) -> None:
        """`deadline` is the race's, on the monotonic clock."""
        self.config = SimpleNamespace()
        self._course, self._timeout, self._deadline = course, command_timeout, deadline
        self._env = {**_ENVIRONMENT, "AAR_GATEWAY": course.url}

    def execute(self, action: dict[str, Any], cwd: str = "") -> dict[str, Any]:
        """Run one command; a first line with the magic word and exit code 0 ends the run (Submitted)."""
        left = max(0.0, self._deadline - time.monotonic())
        result = self._course.box.run(
            CommandSpec(
                command=str(action.get("command", "")),
                workdir=self._course.workdir,
                timeout=min(self._timeout, left),
                env=self._env,
            )
        )
        _raise_if_finished(result)
        return {
            "output": result.output,
            "returncode": result.exit_code,
            "exception_info": self._problem(result),
        }

    def _problem(self, result: CommandResult) -> str:
        if result.timed_out:
            return f"the command was stopped after {self._timeout:g} seconds"
        return (
            f"{result.dropped_bytes} bytes of output were dropped" if result.dropped_bytes else ""
        )

    def get_template_vars(self, **_: Any) -> dict[str, Any]:
        """Pinned: nothing of this machine or its environment gets into a prompt."""
        return dict(MACHINE)

    def serialize(self) -> dict[str, Any]:
        """For the trajectory."""
        return {"info": {"config": {"environment": {"box": self._course.box.name}}}}


def make_agent(model: GatewayModel, environment: BoxEnvironment) -> DefaultAgent:
    """The real DefaultAgent; limits are the gateway's and the race's, so its own are off."""
    return DefaultAgent(
        model,
        environment,
        system_template=SYSTEM_TEMPLATE,
        instance_template=INSTANCE_TEMPLATE,
        step_limit=0,
        cost_limit=0,
        wall_time_limit_seconds=0,
    )


def _with_actions(reply: httpx.Response) -> dict[str, Any]:
    choice = _choice(reply)
    message = choice.get("message") or {}
    extra = {"cost": 0.0, "timestamp": time.time()}
    calls = [
        SimpleNamespace(id=call.get("id"), function=SimpleNamespace(**call["function"]))
        for call in message.get("tool_calls") or ()
    ]
    try:
        actions = parse_toolcall_actions(
            calls,
            format_error_template=FORMAT_ERROR_TEMPLATE,
            template_kwargs={"finish_reason": choice.get("finish_reason")},
        )
    except FormatError as error:
        error.messages[0].setdefault("extra", {}).update(extra)
        raise
    return {**message, "extra": {**extra, "actions": actions}}


def _choice(reply: httpx.Response) -> dict[str, Any]:
    """The first choice; {} (a format error for the agent) when the server sent none."""
    try:
        choice = reply.json()["choices"][0]
    except (ValueError, LookupError, TypeError):
        return {}
    return choice if isinstance(choice, dict) else {}


def _plain(message: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in message.items() if key != "extra"}


def _raise_if_finished(result: CommandResult) -> None:
    lines: Sequence[str] = result.output.lstrip().splitlines(keepends=True)
    if lines and lines[0].strip() == FINISHED and result.exit_code == 0:
        raise Submitted(_exit("Submitted", "".join(lines[1:])))


def _exit(status: str, submission: str = "") -> dict[str, Any]:
    extra = {"exit_status": status, "submission": submission}
    return {"role": "exit", "content": submission or status, "extra": extra}
