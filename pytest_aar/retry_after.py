"""The header Retry-After, which services and model servers send alike."""

import time
from email.utils import parsedate_to_datetime


def asked_wait(header: str) -> float | None:
    """Seconds that the header asks for (a number or a date), None when it says nothing usable."""
    text = header.strip()
    try:
        # float() would take "nan" and "inf" as well
        seconds = float(text) if text[:1].isdecimal() else _until(text)
    except (ValueError, TypeError):
        return None
    return max(0.0, seconds)


def _until(date: str) -> float:
    return parsedate_to_datetime(date).timestamp() - time.time()
