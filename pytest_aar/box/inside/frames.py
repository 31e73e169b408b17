"""Messages between the plugin and the command server: lists of byte strings."""

from __future__ import annotations

#: Bytes of a command's output that are kept from its start, and from its end when it was longer.
HEAD_BYTES, TAIL_BYTES = 1_000_000, 65_536
#: More than any result has: the rest is for numbers and lengths.
RESULT_BYTES = HEAD_BYTES + TAIL_BYTES + 4096
CANNOT_RUN, NO_SUCH_PROGRAM = 126, 127  # as shells have it
READY = b"ready"
_SIZE = 4


def frame(*fields: bytes) -> bytes:
    """A message: its length, then each field after its own length (4 bytes, big-endian)."""
    body = b"".join(len(field).to_bytes(_SIZE, "big") + field for field in fields)
    return len(body).to_bytes(_SIZE, "big") + body


def take_frame(buffer: bytearray, most: int | None = None) -> list[bytes] | None:
    """Take the first whole message out of the buffer.

    ValueError: it contradicts itself, or means to be longer than `most`.
    """
    end = _SIZE + int.from_bytes(buffer[:_SIZE], "big")
    if most is not None and end > most:
        raise ValueError(f"a message of {end} bytes")
    if len(buffer) < max(end, _SIZE):
        return None
    body = bytes(buffer[_SIZE:end])
    del buffer[:end]
    return list(_fields(body))


def _fields(body: bytes) -> list[bytes]:
    fields, place = [], 0
    while place < len(body):
        start = place + _SIZE
        place = start + int.from_bytes(body[place:start], "big")
        if place > len(body):
            raise ValueError("a field is longer than its message")
        fields.append(body[start:place])
    return fields
