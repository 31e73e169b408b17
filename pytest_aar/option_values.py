"""What the text of an option means: one parser for each kind of value.

Each takes a `Given` and raises ConfigurationError, which names the option and what is valid.
Only the standard library, as in `options`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from urllib.parse import urlsplit

from pytest_aar.errors import ConfigurationError
from pytest_aar.settings import KIWIX, SERVICES, WORLDS, WORLDS_TOLD, ZimChoice, zim_choice


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


def world(given: Given) -> str:
    """One of the worlds, or `zim:PATH` with or without `+sandbox`; relative paths as in `path`."""
    choice = zim_choice(given.text.strip())
    if choice is None and given.text in WORLDS:
        return given.text
    if choice is None or choice.path.name in ("", "."):
        raise ConfigurationError(
            f"{given.source}: {given.text!r} is not valid; valid: {', '.join(WORLDS_TOLD)} (PATH of a ZIM "
            "file of Wikipedia)"
        )
    whole_path = given.folder / choice.path.expanduser()
    return ZimChoice(path=whole_path, with_sandbox=choice.with_sandbox).name


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
    return _parted(given, "key=value")


def _parted(given: Given, valid: str) -> tuple[str, str]:
    key, equals, value = given.text.partition("=")
    if not equals or not key.strip():
        raise ConfigurationError(f"{given.source}: {given.text!r} is not valid; valid: {valid}")
    return key.strip(), value.strip()


def wiki_at(given: Given) -> str:
    """`generated`, or a day or time as in `wiki_moment`."""
    word = given.text.strip()
    return word if word == "generated" else wiki_moment(given, besides="generated, ")


def wiki_moment(given: Given, *, besides: str = "") -> str:
    """A day or time in UTC, written as MediaWiki takes it; a day means its end. `besides`: what is valid, too."""
    word = given.text.strip()
    is_day = len(word) == len("2026-03-20")
    try:
        begun = datetime.fromisoformat(f"{word}T00:00:00" if is_day else word)
    except ValueError:
        raise ConfigurationError(
            f"{given.source}: {given.text!r} is not valid; valid: {besides}a day (2026-03-20), or a time "
            "(2026-03-20T12:00:00Z)"
        ) from None
    _check_past(given, begun)
    return wiki_time(begun.replace(hour=23, minute=59, second=59) if is_day else begun)


def _check_past(given: Given, begun: datetime) -> None:
    """Refuse a time that is still to come; of a day, its beginning counts."""
    now = wiki_time(datetime.now(UTC))
    if wiki_time(begun) > now:
        raise ConfigurationError(
            f"{given.source}: {given.text!r} is still to come, and articles are read as they were: it is {now} "
            "now; valid: a day or time up to now"
        )


def wiki_time(moment: datetime) -> str:
    """A time as MediaWiki takes it; without a zone it is UTC."""
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def service(given: Given) -> tuple[str, str]:
    """`service=URL`, of a service that there is."""
    services = f"{', '.join(SERVICES)}, as in wikipedia=https://HOST/w/api.php"
    name, url = _parted(given, f"SERVICE=URL with one of the services {services}")
    if name not in SERVICES:
        raise ConfigurationError(
            f"{given.source}: {name!r} is no service{_meant(name, SERVICES)}; valid: {services}"
        )
    plain = url.removeprefix(KIWIX) if name == "wikipedia" else url
    if not _is_plain_url(plain):
        raise ConfigurationError(
            f"{given.source}: {given.text!r} is not valid; valid: {name}=https://HOST/... without a user "
            "name or password (results hold it)"
        )
    return name, url


def limit(given: Given) -> tuple[str, str]:
    """`service=limits`, the limits as text."""
    from pytest_aar.manners import policies  # noqa: PLC0415 - most runs have the default limits

    services = f"{', '.join(policies.names())}, as in wikipedia='60/min, 2 parallel'"
    name, text = _parted(given, f"SERVICE=LIMITS with one of the services {services}")
    if name not in policies.names():
        raise ConfigurationError(
            f"{given.source}: {name!r} has no limits{_meant(name, policies.names())}; valid: {services}"
        )
    policies.parse(text, source=given.source)
    return name, text


def _meant(word: str, valid: tuple[str, ...]) -> str:
    near = get_close_matches(word.lower(), valid, 1)
    return f" (did you mean {near[0]}?)" if near else ""


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
