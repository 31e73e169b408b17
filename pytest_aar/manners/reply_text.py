"""The text of a reply: its JSON, the message in it, the words of a page in its place."""

import html
import json
import re
from typing import Any

import httpx

from pytest_aar.secrets import excerpt

#: What is said of a body without any.
EMPTY = "an empty body"
#: Marks of HTML and XML, with what in them is not for readers; of a page, only its start is looked at.
_MARKS = re.compile(r"(?is)<(script|style)\b.*?</\1\s*>|<!--.*?-->|<[^<>]*>")
_PAGE_START, _BEFORE = 5_000, "\ufeff \t\r\n"
#: Where a message is looked for first: a level's own one says more than the first of the list beside it.
_INWARD = ("error", "message", "errors", "chart", "finance", "status", "detail")
_TEXTS = ("error_message", "reason", "description", "info", "msg", "detail", "title", "error")


def message_in(body: Any) -> str:
    """The human text of an error body, in any shape that these services use; "" without one."""
    if isinstance(body, list):
        return message_in(body[0]) if body else ""
    if not isinstance(body, dict):
        return ""
    for key in _INWARD:
        held = body.get(key)
        inner = held if key == "message" and isinstance(held, str) else message_in(held)
        if inner:
            return inner
    texts = (body.get(key) for key in _TEXTS)
    return next((text for text in texts if isinstance(text, str) and text), "")


def json_of(response: httpx.Response) -> Any:
    """The body as JSON, None if its content type or its text says that it is none."""
    kind = response.headers.get("content-type", "")
    if kind and "json" not in kind:
        return None
    try:
        return response.json()
    except (ValueError, RecursionError):
        return None


def is_page(text: str) -> bool:
    """Whether it is HTML or XML."""
    return text[:_PAGE_START].lstrip(_BEFORE).startswith("<")


def start_of(response: httpx.Response) -> str:
    """The first words of a body; of a page, what a reader would see of it."""
    return excerpt(words_of(response.text), 200) or EMPTY


def words_of(text: str) -> str:
    """A body's text; of a page, what a reader would see of its start."""
    if not is_page(text):
        return text
    start = text[:_PAGE_START].lstrip(_BEFORE)
    return " ".join(html.unescape(_MARKS.sub(" ", start)).split()) or text


def and_then(said: str, more: str) -> str:
    """What a service said and what follows from it, with one mark between them, whatever stop ends the first."""
    return f"{without_stop(said)}; {more}"


def without_stop(said: str) -> str:
    """A sentence without the stop at its end, so that one can follow; dots of what is cut stay."""
    plain = said.rstrip()
    return plain[:-1] if plain.endswith(".") and not plain.endswith("..") else plain


def told_in(body: bytes) -> str:
    """What an error body says for people: its message, else its words; "" for an empty one."""
    text = body.decode("utf-8", "replace")
    try:
        message = message_in(json.loads(text))
    except (ValueError, RecursionError):
        message = ""
    return message or words_of(text)
