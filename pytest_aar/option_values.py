"""What the text of an option means: one parser for each kind of value.

Each takes a `Given` and raises ConfigurationError, which names the option and what is valid.
Only the standard library, as in `options`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pytest_aar.errors import ConfigurationError
from pytest_aar.settings import SERVICES


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A raw value: the text, what it came from (for messages), and the folder that relative paths start at."""

    text: str
    source: str
    folder: Path


def text(given: Given) -> str:
    """Any text but an empty one."""
    if not given.text.strip():
        raise ConfigurationError(f"{given.source} is empty")
    return given.text.strip()


def path(given: Given) -> Path:
    """A path, relative ones from the folder where the text was given."""
    return given.folder / Path(text(given)).expanduser()


def file(given: Given) -> Path:
    """The path of a file that exists."""
    found = path(given)
    if not found.is_file():
        raise ConfigurationError(f"{given.source}: no file {str(found)!r}")
    return found


def one_of(choices: tuple[str, ...]) -> Callable[[Given], str]:
    """A parser of one of these words."""

    def parse(given: Given) -> str:
        if given.text not in choices:
            raise ConfigurationError(
                f"{given.source}: {given.text!r} is not valid; valid: {', '.join(choices)}"
            )
        return given.text

    return parse


def whole(least: int) -> Callable[[Given], int]:
    """A parser of whole numbers from `least`."""

    def parse(given: Given) -> int:
        try:
            number = int(given.text)
        except ValueError:
            number = least - 1
        if number < least:
            raise ConfigurationError(
                f"{given.source}: {given.text!r} is not valid; valid: whole numbers from {least}"
            )
        return number

    return parse


def between(low: float, high: float, valid: str) -> Callable[[Given], float]:
    """A parser of numbers from `low` to `high`; `valid` is how messages call them."""

    def parse(given: Given) -> float:
        try:
            number = float(given.text)
        except ValueError:
            number = float("nan")
        if not low <= number <= high:  # false for nan, too
            raise ConfigurationError(f"{given.source}: {given.text!r} is not valid; valid: {valid}")
        return number

    return parse


def pair(given: Given) -> tuple[str, str]:
    """`key=value`, both without spaces around them."""
    key, equals, value = given.text.partition("=")
    if not equals or not key.strip():
        raise ConfigurationError(f"{given.source}: {given.text!r} is not valid; valid: key=value")
    return key.strip(), value.strip()


def service(given: Given) -> tuple[str, str]:
    """`service=URL`, of a service that there is."""
    name, url = pair(given)
    if name not in SERVICES:
        raise ConfigurationError(
            f"{given.source}: {name!r} is no service; valid: {', '.join(SERVICES)}"
        )
    if not _is_plain_url(url):
        raise ConfigurationError(
            f"{given.source}: {given.text!r} is not valid; valid: {name}=https://HOST/... without a user "
            "name or password (results hold it)"
        )
    return name, url


def _is_plain_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:  # an unclosed bracket
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None


def on_off(given: Given) -> bool:
    """`on` or `off`."""
    return one_of(("on", "off"))(given) == "on"


def flag(given: Given) -> bool:
    """A truth value as ini files write it."""
    word = given.text.strip().lower()
    if word not in ("true", "false", "yes", "no", "on", "off", "1", "0"):
        raise ConfigurationError(f"{given.source}: {given.text!r} is not valid; valid: true, false")
    return word in ("true", "yes", "on", "1")


def steps(given: Given) -> str:
    """A limit of steps: a word or a number, as its text."""
    word = given.text.strip()
    if word in ("budget", "3K", "none") or (word.isdecimal() and int(word) > 0):
        return word
    raise ConfigurationError(
        f"{given.source}: {given.text!r} is not valid; valid: budget, 3K, none, or a number from 1"
    )
