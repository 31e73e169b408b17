"""Standard input and output as an MCP server uses them: one JSON message a line, and nothing else.

The SDK reads and writes in threads, which nothing can wake: a signal would wait for the client's next line.
"""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

import anyio
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse
from mcp_types.jsonrpc import jsonrpc_message_adapter
from pydantic import ValidationError

_CHUNK = 65_536
#: A pipe that takes anything takes that much at once.
_PIECE = 4_096
_CANCELLED = "notifications/cancelled"


class Unanswered:
    """The client's requests that have no answer yet."""

    def __init__(self) -> None:
        self._ids: set[int | str] = set()
        self._changed = anyio.Event()

    def read(self, line: str) -> bool:
        """Take note of a line from the client; whether it is a message."""
        message = _message(line)
        if isinstance(message, JSONRPCRequest):
            self._ids.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == _CANCELLED:
            self._drop((message.params or {}).get("requestId"))
        return message is not None

    def written(self, line: str) -> None:
        """Take note of a line to the client."""
        message = _message(line)
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            self._drop(message.id)

    async def none(self) -> None:
        """Wait until every request has its answer."""
        while self._ids:
            await self._changed.wait()

    def _drop(self, identity: object) -> None:
        if isinstance(identity, int | str):
            self._ids.discard(identity)
        self._changed.set()
        self._changed = anyio.Event()


class Lines:
    """The lines of a descriptor, up to its end: it comes when all that was asked is answered.

    `on_odd` is called with each line that is no message, and so has no answer.
    """

    def __init__(
        self, descriptor: int, unanswered: Unanswered, on_odd: Callable[[str], None]
    ) -> None:
        self._descriptor, self._unanswered, self._on_odd = descriptor, unanswered, on_odd

    async def __aiter__(self) -> AsyncIterator[str]:
        """Each line, without its end."""
        rest = b""
        while data := await self._read():
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                yield self._noted(line)
        if rest.strip():
            yield self._noted(rest)
        await self._unanswered.none()

    async def _read(self) -> bytes:
        await _ready(anyio.wait_readable, self._descriptor)
        return os.read(self._descriptor, _CHUNK)

    def _noted(self, line: bytes) -> str:
        text = line.decode("utf-8", "replace")
        if not self._unanswered.read(text) and text.strip():
            self._on_odd(text)
        return text


class Answers:
    """Writes lines to a descriptor; `on_gone` is called when nobody reads them any longer."""

    def __init__(
        self, descriptor: int, unanswered: Unanswered, on_gone: Callable[[], None]
    ) -> None:
        self._descriptor, self._unanswered, self._on_gone = descriptor, unanswered, on_gone

    async def write(self, line: str) -> None:
        """One line, whole, unless the client is gone."""
        data = memoryview(line.encode("utf-8", "replace"))
        try:
            while data:
                await _ready(anyio.wait_writable, self._descriptor)
                data = data[os.write(self._descriptor, data[:_PIECE]) :]
        except BrokenPipeError:
            self._on_gone()
        self._unanswered.written(line)

    async def flush(self) -> None:
        """Nothing is kept back."""


def claimed() -> tuple[int, int]:
    """Descriptors of standard input and output, for the protocol alone.

    From now on what else reads gets nothing, and what else prints goes to standard error: in child
    processes, too.
    """
    wire = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return wire


def _message(line: str) -> object:
    """The message in a line; None where there is none, which nobody answers."""
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        return None


async def _ready(wait: Callable[[int], Awaitable[None]], descriptor: int) -> None:
    with suppress(PermissionError):  # a file, which is always ready, and can't be waited for
        await wait(descriptor)
