"""What the tools work with: one record with the client, the addresses, the keys and the seams."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import httpx

from pytest_aar.tools.country_names import CountryBook
from pytest_aar.tools.endpoints import Endpoints
from pytest_aar.tools.result import ToolFailure
from pytest_aar.tools.service_keys import KEY_SOURCES


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonRun:
    """What a piece of Python printed and how it ended.

    `exit_code` is negative for a signal; `timed_out` says that the deadline ended it. `isolation`
    is "weak" when only resource limits stood between the code and the machine, else the walls' name.
    The `_cut_bytes` say how many bytes were left out at the end of a stream.
    """

    stdout: str
    stderr: str
    exit_code: int
    isolation: str
    timed_out: bool = False
    stdout_cut_bytes: int = 0
    stderr_cut_bytes: int = 0


class PythonRunner(Protocol):
    """Runs a piece of Python somewhere safe."""

    async def run(self, code: str, *, timeout_seconds: float) -> PythonRun:
        """Run `code` as a script of its own; no process of it survives the call."""
        ...


class UrlGuard(Protocol):
    """Decides whether a page outside the encyclopedia may be fetched."""

    async def check(self, url: httpx.URL) -> None:
        """Return if the address is fine; else raise `ToolFailure` with the reason."""
        ...


class TransportDecides:
    """A guard for worlds whose transport reaches nothing real: unknown hosts are refused there."""

    async def check(self, url: httpx.URL) -> None:
        """Let every address pass."""


class RefuseEverything:
    """The guard of services that were given no other: no page outside the encyclopedia."""

    async def check(self, url: httpx.URL) -> None:
        """Refuse, saying what can be fetched."""
        raise ToolFailure(
            "denied",
            f"{url.host} can't be fetched: only Wikipedia articles are here;"
            " use a URL such as https://en.wikipedia.org/wiki/Title",
        )


#: (description, model or None, extra instructions or None) -> the code that a model wrote.
WriteCode = Callable[[str, str | None, str | None], Awaitable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Everything a tool may use. `python` is None where running code is turned off.

    `attempts` counts tries of one request in all: 1 means no retry. `pages` is the road to pages outside
    the encyclopedia, whose addresses agents choose; None: the road to the services leads there, too.
    `country_book` gives the countries by name and what is known of them without asking anyone; None: no such book.
    `wiki_at` (UTC, "2026-03-20T02:07:11Z") asks for articles as they were then; None: as they are.
    """

    http: httpx.AsyncClient
    endpoints: Endpoints
    keys: Mapping[str, str] = field(default_factory=dict)
    contact: str | None = None
    python: PythonRunner | None = None
    write_code: WriteCode | None = None
    guard: UrlGuard = field(default_factory=RefuseEverything)
    attempts: int = 1
    pages: httpx.AsyncClient | None = None
    country_book: Callable[[], CountryBook] | None = None
    wiki_at: str | None = None

    def key(self, variable: str, *, endpoint: str = "") -> str | None:
        """The key from the environment variable of that name; None where no key is needed.

        None as well where there is none for a service at an address of the user's own (`endpoint`).

        Raises:
            ToolFailure: denied; names the variable and where to get a key.
        """
        found = self.keys.get(variable)
        if found or not self.endpoints.needs_keys or endpoint in self.endpoints.own:
            return found
        raise ToolFailure(
            "denied",
            f"no key: set the environment variable {variable}; get one at {KEY_SOURCES[variable]}",
        )

    def blamed(self, failure: ToolFailure, variable: str) -> ToolFailure:
        """The failure, and where it is a key that is refused or used up, the key's variable and source."""
        is_of_key = failure.kind in ("denied", "quota") and variable.endswith("_KEY")
        if not is_of_key or not self.keys.get(variable):
            return failure
        source = KEY_SOURCES[variable]
        message = f"{failure.message} (the key is that of {variable}; its source: {source})"
        return ToolFailure(failure.kind, message, **failure.details)
