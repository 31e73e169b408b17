"""What live services must be there for before a leg is raced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_aar.errors import NOT_RACED, ServiceRefused
from pytest_aar.sandbox_hosts import ZIM_SEARCH_BASE
from pytest_aar.settings import ZIM

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_aar.leg import Leg
    from pytest_aar.manners.refusals import Refusals


def addresses_in(world: str, addresses: Mapping[str, str]) -> Mapping[str, str]:
    """The user's own addresses (`aar_services`), with the search over the file in the world of a ZIM file."""
    return {"search": ZIM_SEARCH_BASE, **addresses} if world.startswith(ZIM) else addresses


def check_services(
    leg: Leg,
    refusals: Refusals | None,
    environment: Mapping[str, str],
    addresses: Mapping[str, str],
) -> None:
    """Raise ServiceRefused when the leg needs a tool that lacks its key or has been refused in this run.

    `addresses` are the user's own (`aar_services`): a service there needs no key.
    """
    from pytest_aar.gateway.needs import needed_tools, told, without_key  # noqa: PLC0415 - loads the tools
    from pytest_aar.tools import LIVE  # noqa: PLC0415 - same
    from pytest_aar.tools.service_keys import keys_from  # noqa: PLC0415 - same

    needed, own = needed_tools(leg), LIVE.with_overrides(addresses).own
    lacking = without_key(needed, keys_from(environment), own)
    if lacking:
        problem = f"{told(lacking)}, then go on with --aar-resume"
        raise ServiceRefused(problem, missing_keys=tuple(lacking))
    given_up = refusals.given_up() if refusals is not None else {}
    for tool in needed:
        if tool in given_up:
            raise ServiceRefused(f"{given_up[tool]}; then go on with --aar-resume{NOT_RACED}")
