"""Our Model, Environment and prompt configuration for mini-swe-agent. Imported only by `mini_swe.load`.

The configuration is ours and pinned: a new release of the agent, or another kernel, must not change the
prompt and break replays.
"""

import asyncio
import json
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError, Future
from types import SimpleNamespace
from typing import Any

import httpx
from jinja2 import StrictUndefined, Template
from minisweagent.agents.default import DefaultAgent
from minisweagent.exceptions import FormatError, Submitted, TimeExceeded
from minisweagent.models.utils.actions_toolcall import BASH_TOOL, parse_toolcall_actions
from pydantic import BaseModel

from pytest_aar.box import CommandResult, CommandSpec
from pytest_aar.chat_reply import calls_of, first_choice, message_of

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

# Compiled once: mini-swe-agent's own function does it for every command, which takes milliseconds.
_OBSERVATION = Template(OBSERVATION_TEMPLATE, undefined=StrictUndefined)

FORMAT_ERROR_TEMPLATE = """\
{{ error }} Every reply needs at least one call of the bash tool with the argument "command". \
To end the race: echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"""

#: What mini-swe-agent would take from `uname`; pinned, though our templates don't use it.
MACHINE = {"system": "Linux", "release": "6", "version": "1", "machine": "x86_64"}

_JSON = {"content-type": "application/json"}
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
        self._lock = threading.Lock()
        self._stopped = False
        self._sent: Future[httpx.Response] | None = None

    def stop(self) -> None:
        """Cancel the query under way and make the next one end the run."""
        with self._lock:
            self._stopped = True
            if self._sent is not None:
                self._sent.cancel()

    def query(self, messages: list[dict[str, Any]], **_: Any) -> dict[str, Any]:
        """One model call.

        Raises:
            FormatError: the reply holds no proper call of the bash tool.
            GatewayRefusal: an error reply.
            TimeExceeded: the race was stopped.
        """
        body = {
            "model": self.config.model_name,
            "messages": [_plain(message) for message in messages],
            "tools": [BASH_TOOL],
        }
        reply = self._reply_to(body)
        if not reply.is_success:
            raise GatewayRefusal(reply.status_code, reply.text)
        return _with_actions(reply)

    def _reply_to(self, body: dict[str, Any]) -> httpx.Response:
        with self._lock:  # stop() must find the call or keep it from being sent
            if self._stopped:
                raise TimeExceeded(_exit("TimeExceeded"))
            sent = asyncio.run_coroutine_threadsafe(self._post(body), self._loop)
            self._sent = sent
        try:
            return sent.result()
        except CancelledError as stopped:
            raise TimeExceeded(_exit("TimeExceeded")) from stopped

    async def _post(self, body: dict[str, Any]) -> httpx.Response:
        # ASCII escapes: httpx's own encoder fails on a lone surrogate in what the model said.
        content = json.dumps(body, separators=(",", ":")).encode()
        return await self._http.post("openai/v1/chat/completions", content=content, headers=_JSON)

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
        actions = message.get("extra", {}).get("actions", [])
        return [_observed(*pair) for pair in zip(actions, outputs, strict=True)]

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
        self._env = {**_ENVIRONMENT, "AAR_GATEWAY": course.box.tools_url()}

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
    choice = first_choice(reply.content)
    message = message_of(choice)
    extra = {"cost": 0.0, "timestamp": time.time()}
    # A malformed call is no call, which is a format error for the agent.
    calls = [
        SimpleNamespace(
            id=call.call_id, function=SimpleNamespace(name=call.name, arguments=call.arguments)
        )
        for call in calls_of(message) or ()
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


def _observed(action: Mapping[str, Any], output: Mapping[str, Any]) -> dict[str, Any]:
    """The message that mini-swe-agent's own function makes of an action's output."""
    return {
        "content": _OBSERVATION.render(output=output),
        "extra": {
            "raw_output": output["output"],
            "returncode": output["returncode"],
            "timestamp": time.time(),
            "exception_info": output["exception_info"],
        },
        "tool_call_id": action["tool_call_id"],
        "role": "tool",
    }


def _plain(message: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in message.items() if key != "extra"}


def _raise_if_finished(result: CommandResult) -> None:
    lines: Sequence[str] = result.output.lstrip().splitlines(keepends=True)
    if lines and lines[0].strip() == FINISHED and result.exit_code == 0:
        raise Submitted(_exit("Submitted", "".join(lines[1:])))


def _exit(status: str, submission: str = "") -> dict[str, Any]:
    extra = {"exit_status": status, "submission": submission}
    return {"role": "exit", "content": submission or status, "extra": extra}
