"""What a model server's error reply says: by its codes, and by words only where servers have no code for it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

#: Codes and types of errors of an account that no retry mends, whatever the status.
_ACCOUNTS = frozenset(
    {
        "insufficient_quota",
        "billing_error",
        "billing_not_active",
        "billing_hard_limit_reached",
        "account_deactivated",
        "access_terminated",
    }
)
#: How the messages of a 400 begin that is the account's: its type is that of any wrong request.
_SAID_OF_ACCOUNTS = ("your credit balance is too low",)
#: Fields that hold a code.
_CODES = ("code", "type", "status")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerError:
    """The codes and the message of an error reply."""

    codes: frozenset[str] = frozenset()
    message: str = ""

    def is_of_account(self, status: int) -> bool:
        """Whether the account can't pay: neither the agent's nor mended by a retry."""
        if status == HTTPStatus.PAYMENT_REQUIRED or self.codes & _ACCOUNTS:
            return True
        said = self.message.strip().casefold()
        return status == HTTPStatus.BAD_REQUEST and said.startswith(_SAID_OF_ACCOUNTS)


def server_error(text: str) -> ServerError:
    """Read an error reply's whole text; what is no JSON is all message."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return ServerError(message=text)
    body = body[0] if isinstance(body, list) and body else body
    if not isinstance(body, Mapping):
        return ServerError(message=text)
    error = body.get("error")
    message = error if isinstance(error, str) else _message(error) or _message(body)
    holders = [each for each in (body, error) if isinstance(each, Mapping)]
    return ServerError(codes=frozenset(_codes(holders)), message=message)


def _message(holder: Any) -> str:
    message = holder.get("message") if isinstance(holder, Mapping) else None
    return message if isinstance(message, str) else ""


def _codes(holders: list[Mapping[str, Any]]) -> Iterator[str]:
    for holder in holders:
        yield from (
            value.casefold() for name in _CODES if isinstance(value := holder.get(name), str)
        )


def is_code_of_account(code: str) -> bool:
    """The same for the code in an event of a stream."""
    return code.casefold() in _ACCOUNTS
