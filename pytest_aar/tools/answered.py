"""A tool call outside of a race: trouble of a service ends what it was for, it is no answer to go on with."""

from collections.abc import Mapping
from typing import Any

from pytest_aar.errors import ServiceRefused, ServiceUnavailable
from pytest_aar.manners.meter import METER, Meter
from pytest_aar.tools.dispatch import call
from pytest_aar.tools.result import ErrorKind, ToolResult
from pytest_aar.tools.services import Services

_TROUBLES: tuple[ErrorKind | None, ...] = ("denied", "quota", "upstream", "timeout")


async def answered(name: str, arguments: Mapping[str, Any], services: Services) -> ToolResult:
    """The result of a tool, if the services that it asked have answered; what they say may be an error.

    Raises:
        ServiceRefused: they refuse the account, a key or the missing contact for one.
        ServiceUnavailable: they gave no answer after all tries.
    """
    around = METER.get()
    meter = Meter() if around is None else Meter(tell=around.tell)
    token = METER.set(meter)
    try:
        result = await call(name, arguments, services)
    finally:
        METER.reset(token)
    if not result.ok and meter.refusal:
        raise ServiceRefused(f"{name}: {meter.refusal}")
    if result.error_kind in _TROUBLES and meter.outage:
        raise ServiceUnavailable(f"{name}: {meter.outage}")
    return result
