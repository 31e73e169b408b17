"""The time that a race reads Wikipedia of."""

from datetime import datetime

from pytest_aar.errors import ConfigurationError
from pytest_aar.leg import Leg
from pytest_aar.option_values import wiki_time
from pytest_aar.settings import KIWIX, Settings

_GENERATED = "generated"


def wiki_at(settings: Settings, leg: Leg, world: str) -> str | None:
    """The time in UTC ("2026-03-20T02:07:11Z"); None for articles as they are, and in worlds without revisions.

    Raises:
        ConfigurationError: the leg does not say when it was generated, or a Kiwix server is asked for articles.
    """
    if settings.wiki_at is None or world != "live":
        return None
    if settings.services.get("wikipedia", "").startswith(KIWIX):
        raise ConfigurationError(
            "--aar-wiki-at: a Kiwix server has one revision of each page, that of its file: leave the option out, "
            "or ask a MediaWiki (aar_services, wikipedia = https://HOST/w/api.php)"
        )
    if settings.wiki_at != _GENERATED:
        return settings.wiki_at
    try:
        return wiki_time(datetime.fromisoformat(leg.generated_at))
    except ValueError:
        raise ConfigurationError(
            f"--aar-wiki-at=generated: {leg.leg_id} says generated_at {leg.generated_at!r}, which is no time: "
            "mend the leg, or give a date (--aar-wiki-at=2026-03-20)"
        ) from None
