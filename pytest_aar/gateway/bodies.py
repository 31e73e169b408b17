"""Reading the bodies of a conversation's calls: what was parsed once is not parsed again."""

import json
from collections.abc import Mapping
from typing import Any

_CLOSING = b"]}"


class Bodies:
    """Parses JSON objects. A call that resends the last one's messages and adds some costs only these."""

    def __init__(self) -> None:
        self._data = b""
        self._body: dict[str, Any] = {}

    def parse(self, data: bytes) -> Any:
        """What `json.loads` gives; the parts that calls share are the same objects: don't change them."""
        added = self._added(data)
        body = json.loads(data) if added is None else self._continued(added)
        if _ends_with_messages(body, data):
            self._data, self._body = data, body
        return body

    def _added(self, data: bytes) -> list[Any] | None:
        """The messages after those of the last call; None when `data` does not continue it."""
        known = len(self._data) - len(_CLOSING)
        if known <= 0 or not data.endswith(_CLOSING) or data[:known] != self._data[:known]:
            return None
        tail = data[known:]
        if not tail.startswith(b","):
            return None
        try:
            added = json.loads(b"[" + tail[1:-1])
        except ValueError:
            return None
        return added or None  # an empty one would be a comma too many

    def _continued(self, added: list[Any]) -> dict[str, Any]:
        return {**self._body, "messages": [*self._body["messages"], *added]}


def _ends_with_messages(body: Any, data: bytes) -> bool:
    """Whether the object's last member is its list of messages, so that more can only follow there."""
    if not isinstance(body, Mapping) or not data.endswith(_CLOSING):
        return False
    return next(reversed(body), None) == "messages" and isinstance(body["messages"], list)
