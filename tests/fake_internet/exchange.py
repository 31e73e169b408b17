"""A request as the services see it, and their replies."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

JSON = "application/json; charset=utf-8"
TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request: `path` without the service's prefix and decoded, `query` and `body` read."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What a service answers."""

    status: int = 200
    body: bytes = b""
    kind: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)


def as_json(value: Any, status: int = 200) -> Reply:
    """A reply of JSON."""
    return Reply(status=status, body=json.dumps(value, ensure_ascii=False).encode())


def as_text(text: str, status: int, **headers: str) -> Reply:
    """A reply of plain text."""
    return Reply(status=status, body=text.encode(), kind=TEXT, headers=headers)
