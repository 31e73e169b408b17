"""OpenAI Responses, plain and streamed."""

from collections.abc import Mapping
from typing import Any

from .events import PassingTap
from .openai import prepared, refused, usage_in
from .vendors import OPENAI
from .wire import Refusal, StreamFailure, StreamTap, Usage

_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})
#: Codes of failures that speak of what the request holds; all others are the server's or the account's.
_AGENTS = frozenset({"context_length_exceeded", "invalid_prompt", "image_parse_error"})


class Responses:
    """`POST openai/v1/responses`."""

    name = "openai-responses"
    path = "openai/v1/responses"
    upstream_path = "responses"
    vendor = OPENAI
    prelude = frozenset({"response.created", "response.in_progress", "response.queued"})

    def prepare(
        self, body: Mapping[str, Any], *, model: str, options: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Model and options put in."""
        return prepared(body, model=model, options=options)

    def counts_as_step(self, body: Mapping[str, Any]) -> bool:
        """Every one is: Codex makes no side calls."""
        return True

    def usage(self, reply: Mapping[str, Any]) -> Usage:
        """From the reply's `usage`."""
        return usage_in(reply, sent="input_tokens", received="output_tokens")

    def tap(self, body: Mapping[str, Any]) -> StreamTap:
        """Everything passes; usage and end are read from the last event."""
        return PassingTap(self, ends=_ENDS)

    def failure(self, event: Mapping[str, Any]) -> StreamFailure | None:
        """`error`, or `response.failed` with the error in the response."""
        if event.get("type") == "error":
            error: Any = event.get("error") or event
        elif event.get("type") == "response.failed":
            response = event.get("response")
            error = response.get("error") if isinstance(response, Mapping) else None
        else:
            return None
        return StreamFailure.of(error, named_by="code", agents=_AGENTS)

    def refusal(self, message: str, *, code: str) -> Refusal:
        """400: the one status that Codex never tries again."""
        return refused(400, message, code=code)

    def question(self, instructions: str, text: str) -> dict[str, Any]:
        """Instructions and input."""
        return {"instructions": instructions, "input": text, "store": False}

    def text_of(self, reply: Mapping[str, Any]) -> str | None:
        """All `output_text` of the messages."""
        items = reply.get("output")
        parts = [
            part.get("text")
            for item in (items if isinstance(items, list) else ())
            if isinstance(item, Mapping) and isinstance(item.get("content"), list)
            for part in item["content"]
            if isinstance(part, Mapping) and part.get("type") == "output_text"
        ]
        texts = [part for part in parts if isinstance(part, str)]
        return "".join(texts) if texts else None
