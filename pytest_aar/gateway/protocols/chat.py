"""OpenAI chat completions, plain and streamed."""

import re
from collections.abc import Mapping
from typing import Any

from .events import EventSplitter, event_data
from .openai import prepared, refused, usage_in
from .vendors import OPENAI
from .wire import Refusal, StreamFailure, StreamTap, Usage

_DONE = re.compile(rb"data:\s*\[DONE\]\s*")


class ChatCompletions:
    """`POST openai/v1/chat/completions`."""

    name = "openai-chat"
    path = "openai/v1/chat/completions"
    upstream_path = "chat/completions"
    vendor = OPENAI
    prelude = frozenset[str]()

    def prepare(
        self, body: Mapping[str, Any], *, model: str, options: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Model and options put in; streams are asked for their usage, since it must be counted."""
        given = prepared(body, model=model, options=options)
        if given.get("stream"):
            given["stream_options"] = {
                **(body.get("stream_options") or {}),
                "include_usage": True,
            }
        return given

    def counts_as_step(self, body: Mapping[str, Any]) -> bool:
        """Every chat completion is a step: no client of this protocol makes side calls that can be told."""
        return True

    def usage(self, reply: Mapping[str, Any]) -> Usage:
        """From the reply's `usage`."""
        return usage_in(reply, sent="prompt_tokens", received="completion_tokens")

    def tap(self, body: Mapping[str, Any]) -> StreamTap:
        """Hides the usage event from clients that did not ask for it: many index `choices[0]` blindly."""
        asked = bool((body.get("stream_options") or {}).get("include_usage"))
        return _ChatTap(self, usage_wanted=asked)

    def failure(self, event: Mapping[str, Any]) -> StreamFailure | None:
        """Nothing: the protocol has no events of that kind."""
        return None

    def refusal(self, message: str, *, code: str) -> Refusal:
        """404: the one status that the OpenAI SDK, litellm and mini-swe-agent all take as final."""
        return refused(404, message, code=code)

    def question(self, instructions: str, text: str) -> dict[str, Any]:
        """System and user message."""
        said = [{"role": "system", "content": instructions}, {"role": "user", "content": text}]
        return {"messages": said}

    def text_of(self, reply: Mapping[str, Any]) -> str | None:
        """The first choice's content."""
        try:
            content = reply["choices"][0]["message"]["content"]
        except (LookupError, TypeError):
            return None
        return content if isinstance(content, str) else None


class _ChatTap:
    """Splits the stream at blank lines; only events that mention usage are parsed."""

    def __init__(self, protocol: ChatCompletions, *, usage_wanted: bool) -> None:
        self._protocol = protocol
        self._usage_wanted = usage_wanted
        self._events = EventSplitter()
        self._usage = Usage()
        self._has_ended = False

    def feed(self, chunk: bytes) -> bytes:
        events = self._events.feed(chunk)
        return b"".join(event + b"\n\n" for event in events if self._passes(event))

    @property
    def usage(self) -> Usage:
        return self._usage

    @property
    def is_whole(self) -> bool:
        return self._has_ended

    @property
    def fault(self) -> str | None:
        return None  # not every server of this protocol says that it has ended

    def end(self) -> bytes:
        rest = self._events.end()
        return rest if rest and self._passes(rest) else b""

    def _passes(self, event: bytes) -> bool:
        self._has_ended = self._has_ended or _DONE.fullmatch(event) is not None
        if b'"usage"' not in event:
            return True
        data = event_data(event)
        if data is None or not data.get("usage"):
            return True
        self._usage = self._protocol.usage(data)
        self._has_ended = self._has_ended or not data.get("choices")
        return self._usage_wanted or bool(data.get("choices"))
