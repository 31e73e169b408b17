"""What of a request counts: one form per model protocol, and canonical JSON for tools and the rest."""

from collections.abc import Mapping

from pytest_aar.cassettes.chat_form import CHAT_COMPLETIONS
from pytest_aar.cassettes.forms import ModelProtocol
from pytest_aar.cassettes.messages_form import MESSAGES
from pytest_aar.cassettes.responses_form import RESPONSES

_BY_ENDPOINT: Mapping[str, ModelProtocol] = {
    "openai/v1/chat/completions": CHAT_COMPLETIONS,
    "openai/v1/responses": RESPONSES,
    "anthropic/v1/messages": MESSAGES,
}


def protocol_of(endpoint: str) -> ModelProtocol | None:
    """The protocol behind "openai/v1/chat/completions" etc.; None: canonical JSON will do."""
    return _BY_ENDPOINT.get(endpoint.strip("/"))
