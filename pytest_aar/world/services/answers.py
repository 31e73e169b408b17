"""What goes into a service and what comes out: plain requests and answers, no web framework."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

if TYPE_CHECKING:
    from pytest_aar.world.store import World

#: Stands in every answer that holds invented figures.
SYNTHETIC = "synthetic: invented by the pytest-aar sandbox world, not a real observation"
JSON = "application/json; charset=utf-8"
HTML = "text/html; charset=UTF-8"
TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request to a service; `query` and a posted form are merged, `headers` are lower case."""

    method: str
    host: str
    path: str
    query: Mapping[str, str]
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    def json(self) -> dict[str, Any]:
        """The body as a JSON object; ValueError (bad JSON) or TypeError when it is none."""
        value = json.loads(self.body or b"{}")
        if not isinstance(value, dict):
            raise TypeError("the body is not a JSON object")
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A service's answer."""

    status: int
    content_type: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


Service = Callable[["World", Request], Answer]


def json_answer(value: object, status: int = 200) -> Answer:
    """An answer of JSON."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Answer(status=status, content_type=JSON, body=text.encode())


def text_answer(text: str, status: int = 200, *, content_type: str = TEXT) -> Answer:
    """An answer of text or HTML."""
    return Answer(status=status, content_type=content_type, body=text.encode())


def google_error(status: int, message: str, code: str = "INVALID_ARGUMENT") -> Answer:
    """The error shape of Google's newer APIs."""
    return json_answer({"error": {"code": status, "message": message, "status": code}}, status)


def read_request(
    method: str, url: str, body: bytes = b"", headers: Mapping[str, str] | None = None
) -> Request:
    """Take a URL apart; a posted form counts as query."""
    parts = urlsplit(url)
    lower = {name.lower(): value for name, value in (headers or {}).items()}
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    if lower.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        pairs += parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True)
    return Request(
        method=method.upper(),
        host=(parts.hostname or "").lower(),
        path=unquote(parts.path) or "/",
        query=dict(pairs),
        body=body,
        headers=lower,
    )
