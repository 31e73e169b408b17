"""The seam between the pacer and the protocol that its turns travel by."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from .chat import ChatWire
from .messages import MessagesWire
from .responses import ResponsesWire
from .turn import Turn


class Wire(Protocol):
    """Reads requests and writes replies. Ids depend on the turn alone: replays must be equal."""

    def turns_taken(self, body: Mapping[str, Any]) -> int:
        """How many turns the model has had in this conversation."""
        ...

    def offers_tools(self, body: Mapping[str, Any]) -> bool:
        """Whether the request offers the model any tool."""
        ...

    def aside(self, body: Mapping[str, Any]) -> dict[str, Any] | None:
        """The reply to a call that is no turn of the race; None when it is one."""
        ...

    def reply(self, turn: Turn, body: Mapping[str, Any]) -> dict[str, Any]:
        """The complete reply that says the turn."""
        ...

    def stream(self, reply: Mapping[str, Any], body: Mapping[str, Any]) -> Iterator[bytes]:
        """The same reply as server-sent events."""
        ...


_CHAT = ChatWire()
_BY_ENDPOINT: Mapping[str, Wire] = {
    "openai/v1/responses": ResponsesWire(),
    "anthropic/v1/messages": MessagesWire(),
}


def wire_of(endpoint: str | None) -> Wire:
    """The wire of the gateway's path; chat completions without one."""
    return _BY_ENDPOINT.get(endpoint or "", _CHAT)
