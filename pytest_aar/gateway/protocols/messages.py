"""Anthropic Messages, plain and streamed."""

from collections.abc import Mapping
from typing import Any

from .events import PassingTap, count_of
from .temperature import takes_temperature
from .vendors import ANTHROPIC
from .wire import Refusal, StreamFailure, StreamTap, Usage

_ENDS = frozenset({"message_stop"})
_AGENTS = frozenset({"invalid_request_error", "request_too_large"})
#: Each of them rules a temperature of 0 out.
_OTHER_SAMPLING = ("top_p", "top_k")
_CODE_TOKENS = 4096


class Messages:
    """`POST anthropic/v1/messages`."""

    name = "anthropic-messages"
    path = "anthropic/v1/messages"
    upstream_path = "v1/messages"
    vendor = ANTHROPIC
    prelude = frozenset({"message_start", "ping"})

    def prepare(
        self, body: Mapping[str, Any], *, model: str, options: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Model and options put in; no temperature beside thinking, which refuses it."""
        prepared = {**body, "model": model, **options}
        if takes_temperature(model) and not _thinks(prepared) and not _samples(prepared):
            prepared.setdefault("temperature", 0)
        return prepared

    def counts_as_step(self, body: Mapping[str, Any]) -> bool:
        """Not Claude Code's question for a session title: no tools, and a JSON schema for the answer."""
        config = body.get("output_config")
        kind = config.get("format") if isinstance(config, Mapping) else None
        asks_for_json = isinstance(kind, Mapping) and kind.get("type") == "json_schema"
        return bool(body.get("tools")) or not asks_for_json

    def usage(self, reply: Mapping[str, Any]) -> Usage:
        """From the reply's `usage`, whose `input_tokens` leave out what touches the cache."""
        usage = reply.get("usage")
        if not isinstance(usage, Mapping):
            return Usage()
        names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        counts = [count_of(usage.get(name)) for name in names]
        known = [count for count in counts if count is not None]
        return Usage(
            input_tokens=sum(known) if known else None,
            output_tokens=count_of(usage.get("output_tokens")),
            cached_tokens=counts[-1],
            cache_write_tokens=counts[1],
        )

    def tap(self, body: Mapping[str, Any]) -> StreamTap:
        """Everything passes; usage is read from the first event and the last but one."""
        return PassingTap(self, ends=_ENDS)

    def failure(self, event: Mapping[str, Any]) -> StreamFailure | None:
        """An `error` event."""
        if event.get("type") != "error":
            return None
        return StreamFailure.of(event.get("error"), named_by="type", agents=_AGENTS)

    def refusal(self, message: str, *, code: str) -> Refusal:
        """400 with `x-should-retry: false`; never 404, after which Claude Code asks again without a stream."""
        error = {"type": code, "message": message}
        return Refusal(
            status=400,
            body={"type": "error", "error": error},
            headers={"x-should-retry": "false"},
        )

    def question(self, instructions: str, text: str) -> dict[str, Any]:
        """System prompt and one message."""
        return {
            "system": instructions,
            "messages": [{"role": "user", "content": text}],
            "max_tokens": _CODE_TOKENS,
        }

    def text_of(self, reply: Mapping[str, Any]) -> str | None:
        """All text blocks."""
        blocks = reply.get("content")
        parts = [
            block.get("text")
            for block in (blocks if isinstance(blocks, list) else ())
            if isinstance(block, Mapping) and block.get("type") == "text"
        ]
        texts = [part for part in parts if isinstance(part, str)]
        return "".join(texts) if texts else None


def _thinks(body: Mapping[str, Any]) -> bool:
    thinking = body.get("thinking")
    return isinstance(thinking, Mapping) and thinking.get("type") not in (None, "disabled")


def _samples(body: Mapping[str, Any]) -> bool:
    return any(body.get(name) is not None for name in _OTHER_SAMPLING)
