"""Google's older web services, Geocoding and Elevation among them: HTTP 200, and `status` in the body decides."""

import re
from collections.abc import Mapping
from typing import Any

import httpx

from pytest_aar.manners.reply_text import and_then
from pytest_aar.tools.exchange import Ask, fetch_json
from pytest_aar.tools.google_errors import (
    Api,
    NotEnabledError,
    enable,
    kind_of,
    remedy,
    with_remedy,
)
from pytest_aar.tools.result import ErrorKind, ToolFailure
from pytest_aar.tools.services import Services

_KINDS: dict[str, ErrorKind] = {
    "ZERO_RESULTS": "not_found",
    "NOT_FOUND": "not_found",
    "DATA_NOT_AVAILABLE": "not_found",
    "DEADLINE_EXCEEDED": "timeout",
    "OVER_QUERY_LIMIT": "quota",
    "OVER_DAILY_LIMIT": "quota",
    "REQUEST_DENIED": "denied",
    "INVALID_REQUEST": "bad_arguments",
    "MAX_ELEMENTS_EXCEEDED": "bad_arguments",
    "MAX_DIMENSIONS_EXCEEDED": "bad_arguments",
    "MAX_WAYPOINTS_EXCEEDED": "bad_arguments",
    "MAX_ROUTE_LENGTH_EXCEEDED": "bad_arguments",
}
_HINTS = {
    "OVER_QUERY_LIMIT": "wait a little, or raise the quota in Google's console",
    "OVER_DAILY_LIMIT": "the day's quota is used up, or the key or its billing is not in order: see"
    " https://console.cloud.google.com/google/maps-apis",
    "MAX_ELEMENTS_EXCEEDED": "ask for fewer origins or destinations",
    "MAX_DIMENSIONS_EXCEEDED": "ask for fewer origins or destinations",
    "UNKNOWN_ERROR": "a fault of Google's that may be over at the next try",
}
#: What to do when a name was not found.
SPELLING = "try another spelling, or add region and country"
_LEGACY = re.compile(
    r"calling a legacy API|LegacyApiNotActivated|not authorized to use this (?:service or )?API"
)
_TRY_AGAIN = re.compile(rb'"status"\s*:\s*"(?:UNKNOWN_ERROR|OVER_QUERY_LIMIT)"')


async def ask_status(
    services: Services, path: str, params: Mapping[str, str], *, weight: int = 1
) -> Any:
    """The body of `GET /maps/api/PATH/json`, whatever its status says; it counts as `weight` requests."""
    key = services.key("GOOGLE_API_KEY", endpoint="geocoding")
    ask = Ask(
        service=f"Google {path}",
        endpoint="geocoding",
        url=f"{services.endpoints.geocoding}/maps/api/{path}/json",
        params={**params, "key": key} if key else params,
        advice=_worth_a_try,
        weight=weight,
    )
    try:
        return await fetch_json(services, ask, _classify)
    except ToolFailure as failure:
        raise with_remedy(failure) from None


def has_status(body: Any) -> bool:
    """Whether this is a reply of the older kind."""
    return isinstance(body, dict) and isinstance(body.get("status"), str)


def check_status(
    body: Any,
    service: str,
    what: str,
    *,
    successor: Api | None = None,
    if_missing: str = SPELLING,
) -> None:
    """Return on "OK"; else raise the failure that the status stands for.

    `what` names what was asked for, `successor` the present API of a legacy service; `if_missing` says what
    to do when there is nothing.

    Raises:
        NotEnabledError: a legacy service that the key's project doesn't have.
        ToolFailure: any other status.
    """
    status = body["status"]
    if status == "OK":
        return
    kind = _KINDS.get(status, "upstream")
    said = f": {body['error_message']}" if body.get("error_message") else ""
    message = f"{service} answered {status} for {what}{said}"
    if kind == "denied" and successor and _LEGACY.search(said):
        raise NotEnabledError(and_then(message, enable(successor)))
    hints = {"denied": remedy(said), "not_found": if_missing}
    is_daily = status == "OVER_QUERY_LIMIT" and "daily" in said.lower()
    hint = hints.get(kind) or _HINTS.get("OVER_DAILY_LIMIT" if is_daily else status)
    raise ToolFailure(kind, and_then(message, hint) if hint else message)


def _worth_a_try(response: httpx.Response) -> bool | None:
    """A good HTTP status with a word that asks for another try."""
    return True if _TRY_AGAIN.search(response.content) else None


def _classify(status: int, body: Any, message: str) -> ErrorKind | None:
    """Some faults come with a status of HTTP as well as with the word, others in the shape of the present APIs."""
    del status
    kind = _KINDS.get(body["status"]) if has_status(body) else None
    return kind or kind_of(body, message)
