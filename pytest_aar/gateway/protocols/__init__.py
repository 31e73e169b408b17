"""Wire protocols of models, one module each, all behind the seam `WireProtocol`."""

from .chat import ChatCompletions
from .wire import Refusal, StreamTap, Usage, WireProtocol

__all__ = ["PROTOCOLS", "ChatCompletions", "Refusal", "StreamTap", "Usage", "WireProtocol"]

#: Path below `/r/<token>/` -> protocol. Responses and Messages join here.
PROTOCOLS: dict[str, WireProtocol] = {ChatCompletions.path: ChatCompletions()}
