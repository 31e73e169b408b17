"""What a run says at its start of the Wikipedia that is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_aar.settings import KIWIX

if TYPE_CHECKING:
    from pytest_aar.settings import Settings

_NO_CONTACT = (
    "aar: no contact: Wikimedia allows about 10 requests a minute to programs that name nobody to "
    "turn to; set --aar-contact (ini aar_contact) to a mail address or a URL of yours"
)


_UNPINNED = (
    "aar: no --aar-wiki-at: legs that are stable-if-pinned are right only with --aar-wiki-at=generated; "
    "--aar-only=stable leaves them out"
)
_PINNED_CLASSES = {"valid", "stable-if-pinned"}


def wikipedia_note(settings: Settings) -> str:
    """The end of the header's line, and lines below it when live requests would not be as they should."""
    pinned = "" if settings.wiki_at is None else f", Wikipedia at {settings.wiki_at}"
    note = live_notes(settings) if settings.world == "live" else ""
    return f"{pinned}\n{note}" if note else pinned


def live_notes(settings: Settings) -> str:
    """The lines where live legs would ask Wikipedia: for nobody to turn to, for pages of today; "" for none."""
    wants_pinned = is_unpinned(settings) and not _PINNED_CLASSES.isdisjoint(settings.only)
    notes = (contact_note(settings), _UNPINNED if wants_pinned else "")
    return "\n".join(note for note in notes if note)


def is_unpinned(settings: Settings) -> bool:
    """Whether live legs would read Wikipedia as it is today."""
    is_live = settings.world in ("live", "auto") and settings.record != "none"
    is_file = settings.services.get("wikipedia", "").startswith(KIWIX)
    return is_live and settings.wiki_at is None and not is_file


def contact_note(settings: Settings) -> str:
    """The line where live legs would ask Wikipedia and name nobody to turn to, else ""."""
    is_silent = settings.record != "none" and not settings.contact
    return _NO_CONTACT if is_silent and "wikipedia" not in settings.services else ""
