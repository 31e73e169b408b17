"""Asking Open-Meteo: its limits come without Retry-After, and their bodies may lack the key `error`."""

import re
from collections.abc import Mapping
from typing import Any, Literal

import httpx

from pytest_aar.manners.reply_text import and_then
from pytest_aar.tools.exchange import Ask, fetch_json
from pytest_aar.tools.result import ErrorKind, ToolFailure
from pytest_aar.tools.services import Services

SERVICE = "Open-Meteo"
Endpoint = Literal["weather_archive", "weather_forecast"]
_PATHS: dict[Endpoint, str] = {
    "weather_archive": "/v1/archive",
    "weather_forecast": "/v1/forecast",
}
_TOO_MANY = 429
_A_MINUTE = 60.0
_MINUTE = re.compile(r"\bminutely\b", re.IGNORECASE)
_ELSEWHERE = (
    "the free limits count all calls of this internet address (600 a minute, 5,000 an hour, 10,000 a day);"
    " a server of yours can be set: aar_services weather = https://..."
)


async def ask_open_meteo(
    services: Services,
    endpoint: Endpoint,
    params: Mapping[str, str],
    *,
    weight: int = 1,
) -> Any:
    """The JSON of a good reply; `weight`: as how many calls it is counted.

    Raises:
        ToolFailure: quota for the free limits; not_found where the place has no data; bad_arguments for
            what the service says is wrong with the request; upstream for faults of its own.
    """
    ask = Ask(
        service=SERVICE,
        endpoint=endpoint,
        url=f"{getattr(services.endpoints, endpoint)}{_PATHS[endpoint]}",
        params=params,
        advice=another_try,
        weight=weight,
    )
    try:
        body = await fetch_json(services, ask, _classify)
    except ToolFailure as failure:
        if failure.kind != "quota":
            raise
        raise ToolFailure("quota", and_then(failure.message, _ELSEWHERE)) from None
    if isinstance(body, dict) and body.get("error"):
        raise ToolFailure("upstream", f"{SERVICE} answered: {body.get('reason', body['error'])}")
    return body


def another_try(response: httpx.Response) -> float | None:
    """A limit of minutes is over in a minute; of longer ones the verdict on any reply knows."""
    if response.status_code != _TOO_MANY:
        return None
    return _A_MINUTE if _MINUTE.search(response.text) else None


def _classify(status: int, body: Any, message: str) -> ErrorKind | None:
    """The wording changes: only where no data is tells from a wrong argument, both of them HTTP 400."""
    del body
    is_nothing = status == 400 and message.startswith("No data is available")  # noqa: PLR2004 - HTTP's own
    return "not_found" if is_nothing else None
