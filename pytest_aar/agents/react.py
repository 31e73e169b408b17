"""The agent `react`: a function-calling loop over OpenAI chat completions, in process."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import httpx

from pytest_aar import prompt
from pytest_aar.chat_reply import FunctionCall, calls_of, first_choice, message_of
from pytest_aar.errors import ConfigurationError
from pytest_aar.leg import ClueEnvelope
from pytest_aar.trace import Finish, parse_answer

from .protocol import Course, Limits
from .refusals import refused

VERSION = "1"
_SYSTEM = "You solve a task step by step with the tools you are given. Call one tool at a time."
_NUDGE = "That is not the answer's form: reply with one single digit, 0 to 9, and nothing else."
_MALFORMED = (
    "That was not a proper tool call: call one function by its name, with its arguments as JSON."
)
_LONGEST_NAME = 200
#: Replies without a tool call and without a digit, in a row, after which the race ends.
_FORMAT_ERRORS = 3

_JSON = {"content-type": "application/json"}

_FINISH_TOOL = {
    "type": "function",
    "function": {
        "name": "finish",
        "description": "Give the answer and end the race.",
        "parameters": {
            "type": "object",
            "properties": {"digit": {"type": "integer", "minimum": 0, "maximum": 9}},
            "required": ["digit"],
        },
    },
}


class ReactAgent:
    """The loop: model, tools, model, ... until a single digit or a call of `finish`."""

    name = "react"
    how_to_call = prompt.BY_FUNCTION_CALL

    def version(self) -> str:
        """Version of the loop and its wording."""
        return VERSION

    async def run(self, envelope: ClueEnvelope, course: Course, limits: Limits) -> Finish:
        """Race to the end."""
        talk = _Conversation(course, _functions(envelope))
        format_errors = 0
        while format_errors < _FORMAT_ERRORS:
            reply = await talk.next()
            if not reply.is_success:
                return refused(reply.status_code, reply.text)
            finish = await talk.act(reply)
            if finish is not None:
                return finish
            format_errors = 0 if talk.acted else format_errors + 1
        return Finish(
            ending="no-answer",
            detail=f"{_FORMAT_ERRORS} replies in a row without tool call or digit",
        )


class _Conversation:
    """The messages so far and what the model's replies do."""

    def __init__(self, course: Course, functions: Sequence[Mapping[str, Any]]) -> None:
        self._http = course.http
        self._head = f'{{"model":{_json(course.model)},"tools":{_json(functions)},"messages":['
        # Each message is encoded once, not once per turn: a race resends its pages twenty times.
        self._messages: list[str] = []
        self._say(
            {"role": "system", "content": _SYSTEM}, {"role": "user", "content": course.prompt}
        )
        self.acted = False

    async def next(self) -> httpx.Response:
        body = f"{self._head}{','.join(self._messages)}]}}"
        return await self._http.post(
            "openai/v1/chat/completions", content=body.encode(), headers=_JSON
        )

    def _say(self, *messages: Mapping[str, Any]) -> None:
        self._messages += map(_json, messages)

    async def act(self, reply: httpx.Response) -> Finish | None:
        """Do what the reply asks for; a Finish when it gives the answer."""
        message = message_of(first_choice(reply.content))
        calls = calls_of(message)
        self.acted = bool(calls)
        if calls:
            self._say(_echo(message))
            return await self._call_all(calls)
        text = str(message.get("content") or "")
        answer = parse_answer(text) if calls is not None else None
        if answer is not None:
            return Finish(ending="answered", answer=answer)
        nudge = _NUDGE if calls is not None else _MALFORMED
        self._say({"role": "assistant", "content": text}, {"role": "user", "content": nudge})
        return None

    async def _call_all(self, calls: Sequence[FunctionCall]) -> Finish | None:
        for call in calls:
            if call.name == "finish":
                return _finish(call.arguments)
            # surrogatepass: json.loads reads lone surrogates of the model's back in the same way
            content = call.arguments.encode("utf-8", "surrogatepass")
            result = await self._http.post(_tool_path(call.name), content=content, headers=_JSON)
            self._say({"role": "tool", "tool_call_id": call.call_id, "content": result.text})
        return None


def _tool_path(name: str) -> str:
    """The route of a tool whose name the model made up: one path segment, whatever it holds."""
    quoted = quote(name[:_LONGEST_NAME], safe="", errors="replace")
    return f"tools/{quoted.replace('.', '%2E')}"  # a segment of dots would be resolved away


def _json(value: Any) -> str:
    # ASCII escapes: a lone surrogate in what the model said has no other way over the wire.
    return json.dumps(value, separators=(",", ":"))


def _functions(envelope: ClueEnvelope) -> list[Mapping[str, Any]]:
    from .registry import tool_texts  # noqa: PLC0415 - the registry imports agents by name

    tools = [
        {
            "type": "function",
            "function": {"name": t.name, "description": t.description, "parameters": t.schema},
        }
        for t in tool_texts(envelope.tools)
    ]
    return [*tools, _FINISH_TOOL]


def _echo(message: Mapping[str, Any]) -> dict[str, Any]:
    """The assistant's turn as it is sent back: servers add fields that they refuse to read again."""
    return {
        "role": "assistant",
        "content": message.get("content"),
        "tool_calls": message["tool_calls"],
    }


def _finish(arguments: str) -> Finish:
    try:
        digit = json.loads(arguments).get("digit")
    except (ValueError, AttributeError, RecursionError):
        digit = None
    answer = parse_answer(str(digit))
    if answer is None:
        return Finish(ending="no-answer", detail=f"finish was called with {arguments[:60]!r}")
    return Finish(ending="answered", answer=answer)


def make(options: Mapping[str, str]) -> ReactAgent:
    """The agent; it takes no options."""
    if options:
        raise ConfigurationError(f"agent 'react' takes no options, given: {', '.join(options)}")
    return ReactAgent()
