"""What counts of a chat completion's request."""

from typing import Any

from pytest_aar.cassettes.forms import OF_THE_CALLER, ModelProtocol, uncached, without


def _message(message: Any) -> Any:
    if not isinstance(message, dict):
        return message
    # Some clients send "content": null beside tool calls, others leave it out.
    said = {name: value for name, value in message.items() if value is not None}
    if isinstance(said.get("content"), list):
        said["content"] = [uncached(part) for part in said["content"]]
    return uncached(said)


def _stream_ended(body: bytes) -> bool:
    return body.rstrip().endswith(b"data: [DONE]")


CHAT_COMPLETIONS = ModelProtocol(
    messages_key="messages",
    clean_message=_message,
    clean_head=lambda head: without(head, OF_THE_CALLER),
    is_complete=_stream_ended,
)
