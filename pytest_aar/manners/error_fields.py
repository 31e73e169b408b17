"""What an error body says in fields of the service's own: codes, messages, and where in the request the fault lies."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

#: Bytes of the longest reply that may be an error.
LONGEST_ERROR = 20_000
_CODES = ("code", "error_code", "reason", "type")
_MESSAGES = ("message", "error_message", "msg", "detail", "info", "error", "description", "reason")
#: Fields that hold errors; what lies in others (an input that is repeated, say) is not the service's own word.
_HOLDERS = ("error", "errors", "status", "details", "detail", "meta")
#: How far errors lie in one another: error, meta, errors.
_DEEPEST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorFields:
    """`status` is the word at the top of the body; `places` are parts of requests, in small letters."""

    status: str = ""
    codes: frozenset[str] = frozenset()
    messages: tuple[str, ...] = ()
    places: frozenset[str] = frozenset()


def error_fields(text: str) -> ErrorFields:
    """Read an error body; what is no JSON is all message."""
    try:
        body: Any = json.loads(text)
    except (ValueError, RecursionError):
        return ErrorFields(messages=(text,))
    return fields_in(body)


def fields_in(body: Any) -> ErrorFields:
    """The same of a body that is JSON."""
    found = list(_mappings(body, _DEEPEST))
    status = body.get("status") if isinstance(body, Mapping) else None
    return ErrorFields(
        status=status if isinstance(status, str) else "",
        codes=frozenset(_named(found, _CODES)),
        messages=tuple(_named(found, _MESSAGES)),
        places=frozenset(place for each in found for place in _places(each.get("loc"))),
    )


def _mappings(value: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    """The body's mappings that hold errors, from the outside in."""
    if not depth:
        return
    if isinstance(value, list):
        for each in value:
            yield from _mappings(each, depth)
    elif isinstance(value, Mapping):
        yield value
        for name in _HOLDERS:
            yield from _mappings(value.get(name), depth - 1)


def _named(found: list[Mapping[str, Any]], names: tuple[str, ...]) -> Iterator[str]:
    for each in found:
        for name in names:
            value = each.get(name)
            if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
                yield str(value)


def _places(where: Any) -> Iterator[str]:
    return (str(part).lower() for part in where) if isinstance(where, list) else iter(())
