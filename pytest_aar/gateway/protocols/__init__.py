"""Wire protocols of models, one module each, all behind the seam `WireProtocol`."""

from .chat import ChatCompletions
from .messages import Messages
from .responses import Responses
from .vendors import ANTHROPIC, OPENAI, Vendor
from .wire import Refusal, StreamTap, Usage, WireProtocol

__all__ = [
    "ANTHROPIC",
    "OPENAI",
    "PROTOCOLS",
    "ChatCompletions",
    "Messages",
    "Refusal",
    "Responses",
    "StreamTap",
    "Usage",
    "Vendor",
    "WireProtocol",
]

#: Path below `/r/<token>/` -> protocol.
PROTOCOLS: dict[str, WireProtocol] = {
    protocol.path: protocol for protocol in (ChatCompletions(), Responses(), Messages())
}
