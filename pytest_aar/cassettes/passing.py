"""Replies that a recording neither gives again nor starts from: they are the account's, or the moment's."""

from pytest_aar.cassettes.asked import Interaction
from pytest_aar.manners.error_fields import LONGEST_ERROR
from pytest_aar.manners.marks import JUDGED_HEADER, PASSING
from pytest_aar.manners.verdicts import verdict_on

_OK = 200


def is_passing(interaction: Interaction) -> bool:
    """Whether another try may well get another answer: failures that clients retry, refusals of an account.

    Refusals carry how they were judged; of those in recordings from before that, status and body tell.
    """
    if interaction.retryable:
        return True
    judged = interaction.headers.get(JUDGED_HEADER)
    if judged is not None:
        return judged == PASSING
    return _is_of_service(interaction) and _is_refusal(interaction)


def _is_of_service(interaction: Interaction) -> bool:
    """Model calls have no host in their address."""
    return interaction.asked.uri.startswith(("http://", "https://"))


def _is_refusal(interaction: Interaction) -> bool:
    if interaction.status == _OK and interaction.body.length > LONGEST_ERROR:
        return False
    retry_after = interaction.headers.get("retry-after", "")
    body = interaction.body.read()
    return verdict_on(interaction.status, body, retry_after=retry_after) is not None
