"""Whether a leg can be raced in the world that was chosen: sandbox, web and ZIM files don't share their pages."""

from pytest_aar.errors import ConfigurationError
from pytest_aar.leg import Leg
from pytest_aar.sandbox_hosts import WIKI_HOST
from pytest_aar.settings import ZIM


def check_own_world(world: str, leg: Leg) -> None:
    """Refuse a leg of the web in the sandbox, and one of the sandbox over a ZIM file, which may not be here.

    Raises:
        ConfigurationError: names the leg's seed page and the worlds that have it.
    """
    if world == "sandbox" and not leg.is_sandbox:
        raise ConfigurationError(
            f"leg {leg.leg_id} starts at {leg.seed_url}, and the sandbox world has {WIKI_HOST} alone: race it with "
            "--aar-world=live, or with --aar-world=auto, which goes by the leg"
        )
    if leg.is_sandbox and world.startswith(ZIM):
        raise ConfigurationError(
            f"leg {leg.leg_id} starts at {leg.seed_url}, which no ZIM file holds: race it with --aar-world=sandbox, or "
            "with --aar-world=auto, which goes by the leg"
        )
