"""Refusals that all workers of a run heed: what said no for good is not asked again.

Two kinds: the reply of a service at its address, which is given again without asking; and a tool that legs need and
that can't answer, so that those legs need not be raced.
"""

import base64
from dataclasses import dataclass
from pathlib import Path

import httpx

from pytest_aar.secrets import excerpt

from .reply_text import EMPTY, and_then, told_in
from .shared_state import SharedState
from .verdicts import Verdict

_EXCERPT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A refusal of the account by one address, and the reply that said so (its body decoded)."""

    verdict: Verdict
    status: int
    content_type: str
    body: bytes
    retry_after: str = ""

    def told(self, name: str, *, if_denied: str) -> str:
        """What happened and what to do, for people; `if_denied` is what to do at a denial.

        Begins with what happened: of a race's error, pytest's short summary shows some thirty characters.
        """
        said = _shortened(told_in(self.body)) or EMPTY
        if self.verdict == "quota":
            what, to_do = "quota used up at", "wait until it is renewed or take another plan"
        else:
            what, to_do = "access denied by", if_denied
        return and_then(f"{what} {name}, HTTP {self.status}: {said}", to_do)

    def reply(self) -> httpx.Response:
        """The reply, once more."""
        headers = {"content-type": self.content_type}
        if self.retry_after:  # without it a quota would look like a short limit
            headers["retry-after"] = self.retry_after
        return httpx.Response(self.status, headers=headers, content=self.body)


def _shortened(text: str) -> str:
    """One line that ends with a whole word."""
    line = excerpt(text, _EXCERPT + 1)
    return (
        line
        if len(line) <= _EXCERPT
        else f"{line[:_EXCERPT].rpartition(' ')[0] or line[:_EXCERPT]} ..."
    )


class Refusals:
    """Those of one run, in a folder that its workers share."""

    def __init__(self, folder: Path) -> None:
        self._replies = SharedState(folder / "refused.json")
        self._tools = SharedState(folder / "tools.json")

    def add(self, address: str, refused: Refused) -> None:
        """Note a refusal of the account."""
        with self._replies.changing() as known:
            known[address] = [
                refused.verdict,
                refused.status,
                refused.content_type,
                base64.b64encode(refused.body).decode(),
                refused.retry_after,
            ]

    def of(self, address: str) -> Refused | None:
        """What this address has said."""
        found = self._replies.read().get(address)
        if found is None:
            return None
        verdict, status, content_type, body, retry_after = found
        return Refused(
            verdict=verdict,
            status=status,
            content_type=content_type,
            body=base64.b64decode(body),
            retry_after=retry_after,
        )

    def give_up(self, tool: str, why: str) -> None:
        """Note that a tool can't answer in this run; the first reason stands."""
        with self._tools.changing() as known:
            known.setdefault(tool, why)

    def given_up(self) -> dict[str, str]:
        """Tools that can't answer, and why."""
        return {str(tool): str(why) for tool, why in self._tools.read().items()}
