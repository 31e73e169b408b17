"""Answers that no server gave: they stand for a page that can't be had, and say why."""

import json
from typing import Literal

import httpx

from .signs import UNSENT

#: No service's status; none is asked again after an answer with it.
NO_PAGE_STATUS = 424
#: JSON with the `kind` of a tool's failure and its `message`; what is fetched from others never has this type.
NO_PAGE = "application/vnd.pytest-aar.no-page+json"

Kind = Literal["denied", "timeout", "upstream"]


def no_page(kind: Kind, message: str, *, is_sent: bool = True) -> httpx.Response:
    """The answer in a page's place; `is_sent`: a request for the page went out, and counts for limits."""
    return httpx.Response(
        NO_PAGE_STATUS,
        headers={"content-type": NO_PAGE},
        content=json.dumps({"kind": kind, "message": message}).encode(),
        extensions={} if is_sent else {UNSENT: True},
    )
