"""What the header says of the Wikipedia that is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_aar.settings import Settings


def wikipedia_note(settings: Settings) -> str:
    """The end of the header's line, and a line below it when live requests would name nobody to turn to."""
    pinned = "" if settings.wiki_at is None else f", Wikipedia at {settings.wiki_at}"
    is_live = settings.world == "live" and settings.record != "none"
    if not is_live or settings.contact or "wikipedia" in settings.services:
        return pinned
    return (
        f"{pinned}\naar: no contact: Wikimedia allows about 10 requests a minute to programs that name nobody to "
        "turn to; set --aar-contact (ini aar_contact) to a mail address or a URL of yours"
    )
