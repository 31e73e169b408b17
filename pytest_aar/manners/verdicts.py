"""Replies by which a service refuses the account (its key, its quota, its address), not a request.

What an agent asks wrongly is no such thing; what passes by itself within a minute is none either.
"""

import json
import re
from typing import Any, Literal

from pytest_aar.retry_after import asked_wait

Verdict = Literal["denied", "quota"]

#: Seconds: who asks to be left alone for longer has no quota left for this run.
LONGEST_ASKED = 120.0
_OK, _UNAUTHORIZED, _TOO_MANY = 200, 401, 429
_WRONG = (400, 422)
_BY_STATUS: dict[int, Verdict] = {
    401: "denied",
    402: "quota",
    403: "denied",
    418: "quota",  # Binance bans an address
    432: "quota",  # Tavily: the plan's
    433: "quota",  # Tavily: pay as you go's
    451: "denied",  # not served in this country
}
_BY_GOOGLE_STATUS: dict[str, Verdict] = {
    "REQUEST_DENIED": "denied",
    "OVER_DAILY_LIMIT": "quota",
}
#: Google's newer APIs say so with 400, Brave with 422.
_WRONG_KEY = re.compile(
    r"API_KEY_INVALID|API key (?:not valid|expired)|SUBSCRIPTION_TOKEN_INVALID", re.IGNORECASE
)
_NO_CREDITS = re.compile(r"not enough credits", re.IGNORECASE)
#: CoinGecko: a day too long ago for those without a paid plan. Others can be asked for.
_OF_REQUEST = re.compile(r"\b10012\b|allowed time range", re.IGNORECASE)
_LONG_QUOTA = re.compile(
    r"\b(?:daily|hourly|monthly|quota_limited)\b|\b(?:per|this)[ _-]?(?:day|hour|month)\b"
    r"|(?:not enough|insufficient|out of|no) credits|credits? (?:exhausted|used up|left)"
    r"|plan.s? (?:usage )?limit",
    re.IGNORECASE,
)
#: Replies of more bytes are no errors.
_LONGEST_ERROR = 20_000


def verdict_on(status: int, body: bytes, *, retry_after: str = "") -> Verdict | None:
    """Why the account is refused, None for any other reply; `body` is decoded."""
    text = body[:_LONGEST_ERROR].decode("utf-8", "replace")
    if status in _BY_STATUS:
        is_of_request = status == _UNAUTHORIZED and _OF_REQUEST.search(text)
        return None if is_of_request else _BY_STATUS[status]
    if len(body) > _LONGEST_ERROR:
        return None
    if status == _TOO_MANY:
        asked = asked_wait(retry_after)
        is_long = asked is not None and asked > LONGEST_ASKED
        return "quota" if is_long or _LONG_QUOTA.search(text) else None
    if status in _WRONG:
        return (
            "denied" if _WRONG_KEY.search(text) else "quota" if _NO_CREDITS.search(text) else None
        )
    return _by_google(text) if status == _OK else None


def _by_google(text: str) -> Verdict | None:
    """Its older APIs say with HTTP 200 what is wrong; a limit is one of seconds unless it names the day."""
    status = _google_status(text)
    if status == "OVER_QUERY_LIMIT" and _LONG_QUOTA.search(text):
        return "quota"
    return _BY_GOOGLE_STATUS.get(status)


def _google_status(text: str) -> str:
    if '"status"' not in text:
        return ""
    try:
        body: Any = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    return str(body.get("status", "")) if isinstance(body, dict) else ""
