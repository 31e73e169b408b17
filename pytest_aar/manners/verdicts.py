"""Replies by which a service refuses the account (its key, its quota, its address), not a request.

What an agent asks wrongly is no such thing; what passes by itself within a minute is none either. Services repeat
arguments in what they say of errors, so codes and whole messages decide, never a word somewhere in a body.
"""

import re
from typing import Literal

from pytest_aar.retry_after import asked_wait

from .error_fields import LONGEST_ERROR, ErrorFields, error_fields

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
#: Codes of a wrong key that come with a status of wrong requests: Google's newer APIs say so with 400, Brave with 422.
_KEY_CODES = frozenset({"API_KEY_INVALID", "SUBSCRIPTION_TOKEN_INVALID"})
#: The header that holds Brave's key, as its errors name the place of what is wrong.
BRAVE_KEY_HEADER = "x-subscription-token"
#: Codes of refusals that nothing in a request's arguments can bring about.
_ACCOUNT_CODES = _KEY_CODES | {
    *("API_KEY_SERVICE_BLOCKED", "API_KEY_IP_ADDRESS_BLOCKED", "API_KEY_HTTP_REFERRER_BLOCKED"),
    *("SERVICE_DISABLED", "BILLING_DISABLED", "CONSUMER_INVALID", "CONSUMER_SUSPENDED"),
}
#: Statuses of limits and of bans: they count requests, whatever those ask, and one more would make it worse.
_COUNTED = (418, 429)
_WRONG_KEY = re.compile(
    r"(?:The provided )?API[ _-]?key (?:is |was |has )?(?:not valid|not found|invalid|expired)\.?"
    r"(?: Please (?:pass a valid|renew the|use a valid) API[ _-]?key\.?)?\s*",
    re.IGNORECASE,
)
_NO_CREDITS = re.compile(r"(?:you (?:have|do not have) )?not enough credits[.!]?", re.IGNORECASE)
#: CoinGecko: a day too long ago for those without a paid plan. Others can be asked for.
_DAY_TOO_OLD = "10012"
_LONG_QUOTA = re.compile(
    r"\b(?:daily|hourly|monthly|quota_limited)\b|\b(?:per|this)[ _-]?(?:day|hour|month)\b"
    r"|(?:not enough|insufficient|out of|no) credits|credits? (?:exhausted|used up|left)"
    r"|plan.s? (?:usage )?limit",
    re.IGNORECASE,
)


def verdict_on(
    status: int, body: bytes, *, retry_after: str = "", takes_key: bool = True
) -> Verdict | None:
    """Why the account is refused, None for any other reply; `body` is decoded.

    `takes_key`: False for services without keys, to which no wrong request is one of a wrong key.
    """
    if status == _TOO_MANY:
        return "quota" if _is_long(body, retry_after) else None
    if status == _UNAUTHORIZED and _DAY_TOO_OLD in _fields(body).codes:
        return None
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if len(body) > LONGEST_ERROR:
        return None
    if status in _WRONG:
        return _of_wrong(_fields(body)) if takes_key else None
    return _by_google(_fields(body)) if status == _OK and b'"status"' in body else None


def is_beyond_doubt(status: int, body: bytes) -> bool:
    """Whether a refusal is the account's whatever was asked: by its code, or because it counts requests."""
    fields = _fields(body)
    is_told = fields.codes & _ACCOUNT_CODES or (status == _OK and fields.status)
    return status in _COUNTED or bool(is_told)


def says_wrong_key(message: str) -> bool:
    """Whether a message is, as a whole, that of a wrong key: one that only repeats such words is not."""
    return _WRONG_KEY.fullmatch(message.strip()) is not None


def says_no_credits(message: str) -> bool:
    """The same for the message of an account without credits."""
    return _NO_CREDITS.fullmatch(message.strip()) is not None


def _is_long(body: bytes, retry_after: str) -> bool:
    """Whether a limit is one of hours or days: the time that it names settles it, else its words."""
    asked = asked_wait(retry_after)
    if asked:  # 0 names no time
        return asked > LONGEST_ASKED
    fields = _fields(body)
    return any(map(_LONG_QUOTA.search, (*fields.messages, *fields.codes)))


def _of_wrong(fields: ErrorFields) -> Verdict | None:
    is_key = fields.codes & _KEY_CODES or BRAVE_KEY_HEADER in fields.places
    if is_key or any(map(says_wrong_key, fields.messages)):
        return "denied"
    return "quota" if any(map(says_no_credits, fields.messages)) else None


def _by_google(fields: ErrorFields) -> Verdict | None:
    """Its older APIs say with HTTP 200 what is wrong; a limit is one of seconds unless it names the day."""
    if fields.status == "OVER_QUERY_LIMIT" and any(map(_LONG_QUOTA.search, fields.messages)):
        return "quota"
    return _BY_GOOGLE_STATUS.get(fields.status)


def _fields(body: bytes) -> ErrorFields:
    return error_fields(body[:LONGEST_ERROR].decode("utf-8", "replace"))
