"""What Google's map services share: their error words, what to do about a refused key, and the two families.

Places and routes exist twice: the present APIs (Places New, Routes), and the legacy ones, which projects made
since March 2025 can't enable. A key's project has one family or both.
"""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from pytest_aar.manners.reply_text import and_then, message_in
from pytest_aar.manners.verdicts import says_wrong_key
from pytest_aar.tools.exchange import Ask, fetch_json
from pytest_aar.tools.result import ErrorKind, ToolFailure
from pytest_aar.tools.services import Services

_KINDS: dict[str, ErrorKind] = {
    "PERMISSION_DENIED": "denied",
    "UNAUTHENTICATED": "denied",
    "RESOURCE_EXHAUSTED": "quota",
    "INVALID_ARGUMENT": "bad_arguments",
    "OUT_OF_RANGE": "bad_arguments",
    "NOT_FOUND": "not_found",
    "DEADLINE_EXCEEDED": "timeout",
    "FAILED_PRECONDITION": "upstream",
    "UNAVAILABLE": "upstream",
    "INTERNAL": "upstream",
    "UNKNOWN": "upstream",
}
_OFF_REASONS = {"SERVICE_DISABLED", "API_KEY_SERVICE_BLOCKED"}
#: Reasons in an error's details -> kind; they stay the same whatever its message says.
_REASONS: dict[str, ErrorKind] = {
    **dict.fromkeys(("API_KEY_INVALID", "API_KEY_IP_ADDRESS_BLOCKED"), "denied"),
    **dict.fromkeys(("API_KEY_HTTP_REFERRER_BLOCKED", "API_KEY_ANDROID_APP_BLOCKED"), "denied"),
    **dict.fromkeys(("API_KEY_IOS_APP_BLOCKED", "CREDENTIALS_MISSING"), "denied"),
    **dict.fromkeys(("CONSUMER_INVALID", "CONSUMER_SUSPENDED", "USER_PROJECT_DENIED"), "denied"),
    **dict.fromkeys(("BILLING_DISABLED", *_OFF_REASONS), "denied"),
    **dict.fromkeys(("RATE_LIMIT_EXCEEDED", "RESOURCE_QUOTA_EXCEEDED"), "quota"),
}
_OFF_WORDS = ("has not been used in project", "or it is disabled", "Requests to this API")
#: Words of a refusal, in lower case -> what to do about it; the first that fits.
_REMEDIES = (
    (
        ("billing",),
        "turn billing on for the key's project, https://console.cloud.google.com/project/_/billing/enable:"
        " Google wants it for the free monthly calls as well",
    ),
    (
        (
            *("referer", "referrer", "ip address", "ip_address", "client application"),
            *("application restrictions", "_app_blocked"),
        ),
        "use a key whose application restrictions let this machine in (none, or its IP address)",
    ),
    (
        ("not authorized", "api restrictions", "not activated"),
        "enable this API for the key's project and allow it in the key's API restrictions:"
        " https://console.cloud.google.com/google/maps-apis",
    ),
    (
        ("suspended",),
        "Google has suspended the key's project: see its console, or use a key of another project",
    ),
    (
        (
            "unregistered callers",
            "invalid",
            "valid api key",
            "not valid",
            "expired",
            "use an api key",
            "api key not found",
        ),
        "check GOOGLE_API_KEY; keys are made at https://console.cloud.google.com/google/maps-apis",
    ),
)
_OTHER_REMEDY = "check the key, its billing, and that this API is enabled for it"
_FORBIDDEN = 403

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """One of Google's present APIs: its name in messages, in the console, and in the console's address."""

    service: str
    title: str
    library: str


PLACES = Api(
    service="Google Places", title="Places API (New)", library="places-backend.googleapis.com"
)
ROUTES = Api(service="Google Routes", title="Routes API", library="routes.googleapis.com")


class NotEnabledError(ToolFailure):
    """The API is not enabled for the key's project, or not allowed for the key: another one may be."""

    def __init__(self, message: str) -> None:
        """Always "denied"."""
        super().__init__("denied", message)


async def of_either_family(
    new: Callable[[], Awaitable[Found]], legacy: Callable[[], Awaitable[Found]]
) -> Found:
    """What the present API answers; where the key's project has only the legacy one, what that answers.

    Raises:
        ToolFailure: denied, with the present API to enable, where the project has neither.
    """
    try:
        return await new()
    except NotEnabledError as refusal:
        try:
            return await legacy()
        except NotEnabledError:
            raise refusal from None


async def ask_new(services: Services, ask: Ask, api: Api) -> Any:
    """The JSON of a present API's reply.

    Raises:
        NotEnabledError: the API is off for this key.
        ToolFailure: any other fault; a refused key comes with what to do about it.
    """

    def classify(status: int, body: Any, message: str) -> ErrorKind | None:
        if status == _FORBIDDEN and _is_off(body, message):
            said = f"{api.service} answered HTTP {status}: {message}"
            raise NotEnabledError(and_then(said, enable(api)))
        reason = _reason(body)
        if reason is not None:
            said = f"{api.service} answered HTTP {status}: {message} ({reason})"
            raise ToolFailure(_REASONS[reason], said)
        return kind_of(body, message)

    try:
        return await fetch_json(services, ask, classify)
    except NotEnabledError:
        raise
    except ToolFailure as failure:
        raise with_remedy(failure) from None


def headers(services: Services, fields: str, *, endpoint: str) -> dict[str, str]:
    """Headers with the mandatory field mask, and the key where one is needed."""
    key = services.key("GOOGLE_API_KEY", endpoint=endpoint)
    mask = {"X-Goog-FieldMask": fields}
    return {**mask, "X-Goog-Api-Key": key} if key else mask


def refuse_errors(body: Any, service: str) -> None:
    """Fail on the errors that come with HTTP 200: alone, or among the elements of a stream."""
    if any(_errors_in(body)):
        message = message_in([item for item in _items(body) if "error" in item])
        kind = kind_of(body, message) or "upstream"
        raise with_remedy(ToolFailure(kind, f"{service} answered: {message}"))


def kind_of(body: Any, message: str) -> ErrorKind | None:
    """The kind of an error body; a wrong key comes as INVALID_ARGUMENT, yet is denied."""
    if says_wrong_key(message):
        return "denied"
    if message.startswith("FieldMask "):  # ours to send, not the caller's
        return "upstream"
    reason = _reason(body)
    if reason is not None:
        return _REASONS[reason]
    words = (str(error.get("status")) for error in _errors_in(body))
    return next((_KINDS[word] for word in words if word in _KINDS), None)


def enable(api: Api) -> str:
    """How to get the present API."""
    return (
        f"enable the {api.title} for the key's project at"
        f" https://console.cloud.google.com/apis/library/{api.library} (legacy APIs can't be"
        " enabled any more), and allow it in the key's API restrictions"
    )


def with_remedy(failure: ToolFailure) -> ToolFailure:
    """The failure, with what to do when it is a refused key."""
    if failure.kind != "denied":
        return failure
    return ToolFailure("denied", and_then(failure.message, remedy(failure.message)))


def remedy(message: str) -> str:
    """What to do about a refusal with this text."""
    text = message.lower()
    found = (advice for words, advice in _REMEDIES if any(word in text for word in words))
    return next(found, _OTHER_REMEDY)


def _is_off(body: Any, message: str) -> bool:
    said = any(reason in _OFF_REASONS for reason in _reasons_in(body))
    return said or any(words in message for words in _OFF_WORDS)


def _reason(body: Any) -> str | None:
    """The first reason in an error's details that says more than its status."""
    return next((reason for reason in _reasons_in(body) if reason in _REASONS), None)


def _reasons_in(body: Any) -> Iterator[str]:
    details = (item for error in _errors_in(body) for item in _items(error.get("details")))
    return (str(item.get("reason")) for item in details)


def _errors_in(body: Any) -> Iterator[dict[str, Any]]:
    """The error objects of a body, which is one object or a list of them."""
    errors = (item.get("error") for item in _items(body))
    return (error for error in errors if isinstance(error, dict))


def _items(body: Any) -> list[dict[str, Any]]:
    items = body if isinstance(body, list) else [body]
    return [item for item in items if isinstance(item, dict)]
