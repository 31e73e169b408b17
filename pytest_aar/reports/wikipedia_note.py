"""What a run says at its start of the Wikipedia that is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_aar.settings import Settings

_NO_CONTACT = (
    "aar: no contact: Wikimedia allows about 10 requests a minute to programs that name nobody to "
    "turn to; set --aar-contact (ini aar_contact) to a mail address or a URL of yours"
)


def wikipedia_note(settings: Settings) -> str:
    """The end of the header's line, and a line below it when live requests would name nobody to turn to."""
    pinned = "" if settings.wiki_at is None else f", Wikipedia at {settings.wiki_at}"
    note = contact_note(settings) if settings.world == "live" else ""
    return f"{pinned}\n{note}" if note else pinned


def contact_note(settings: Settings) -> str:
    """The line where live legs would ask Wikipedia and name nobody to turn to, else ""."""
    is_silent = settings.record != "none" and not settings.contact
    return _NO_CONTACT if is_silent and "wikipedia" not in settings.services else ""
