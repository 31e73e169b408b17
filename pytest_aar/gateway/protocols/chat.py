"""OpenAI chat completions, plain and streamed."""

import json
from collections.abc import Mapping
from typing import Any

from .wire import Refusal, StreamTap, Usage

#: Models of these families refuse a temperature; for all others the default is 0.
_NO_TEMPERATURE = ("o1", "o3", "o4", "gpt-5", "pacer")


class ChatCompletions:
    """`POST openai/v1/chat/completions`."""

    name = "openai-chat"
    path = "openai/v1/chat/completions"
    upstream_path = "chat/completions"

    def prepare(
        self, body: Mapping[str, Any], *, model: str, options: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Model and options put in; streams are asked for their usage, since it must be counted."""
        prepared = {**body, "model": model, **options}
        if not model.rpartition("/")[2].startswith(_NO_TEMPERATURE):
            prepared.setdefault("temperature", 0)
        if prepared.get("stream"):
            prepared["stream_options"] = {
                **(body.get("stream_options") or {}),
                "include_usage": True,
            }
        return prepared

    def counts_as_step(self, body: Mapping[str, Any]) -> bool:
        """Every chat completion is a step: no client of this protocol makes side calls that can be told."""
        return True

    def usage(self, reply: Mapping[str, Any]) -> Usage:
        """From the reply's `usage`."""
        usage = reply.get("usage")
        if not isinstance(usage, Mapping):
            return Usage()
        details = usage.get("prompt_tokens_details")
        return Usage(
            input_tokens=_count(usage.get("prompt_tokens")),
            output_tokens=_count(usage.get("completion_tokens")),
            cached_tokens=_count(details.get("cached_tokens"))
            if isinstance(details, Mapping)
            else None,
        )

    def tap(self, body: Mapping[str, Any]) -> StreamTap:
        """Hides the usage event from clients that did not ask for it: many index `choices[0]` blindly."""
        asked = bool((body.get("stream_options") or {}).get("include_usage"))
        return _ChatTap(self, usage_wanted=asked)

    def refusal(self, message: str, *, code: str) -> Refusal:
        """404: the one status that the OpenAI SDK, litellm and mini-swe-agent all take as final."""
        error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
        return Refusal(status=404, body={"error": error}, headers={"x-should-retry": "false"})


class _ChatTap:
    """Splits the stream at blank lines; only events that mention usage are parsed."""

    def __init__(self, protocol: ChatCompletions, *, usage_wanted: bool) -> None:
        self._protocol = protocol
        self._usage_wanted = usage_wanted
        self._rest = b""
        self._usage = Usage()

    def feed(self, chunk: bytes) -> bytes:
        *events, self._rest = (self._rest + chunk.replace(b"\r\n", b"\n")).split(b"\n\n")
        return b"".join(event + b"\n\n" for event in events if self._passes(event))

    def end(self) -> tuple[bytes, Usage]:
        rest = self._rest if self._rest and self._passes(self._rest) else b""
        self._rest = b""
        return rest, self._usage

    def _passes(self, event: bytes) -> bool:
        if b'"usage"' not in event:
            return True
        data = _event_data(event)
        if data is None or not data.get("usage"):
            return True
        self._usage = self._protocol.usage(data)
        return self._usage_wanted or bool(data.get("choices"))


def _event_data(event: bytes) -> dict[str, Any] | None:
    lines = [line[5:].strip() for line in event.split(b"\n") if line.startswith(b"data:")]
    try:
        data = json.loads(b"\n".join(lines))
    except ValueError:
        return None  # "[DONE]", or not ours to judge
    return data if isinstance(data, dict) else None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
