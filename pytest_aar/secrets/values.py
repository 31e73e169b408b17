"""Which values are secret: by the name they stand under, or by how they are written."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any
from urllib.parse import SplitResult, unquote, unquote_plus, urlsplit

from pytest_aar.secrets.names import counts_tokens, is_secret_name

#: Replacing these words would change honest text; nobody is protected by them either.
_PLACEHOLDERS = frozenset(
    {
        *("password", "changeme", "changeit", "change-me", "disabled", "enabled", "required"),
        *(
            "optional",
            "undefined",
            "anonymous",
            "localhost",
            "not-needed",
            "not-used",
            "no-key-needed",
        ),
        *(
            "placeholder",
            "example",
            "your-api-key",
            "your_api_key",
            "dummy-key",
            "fake-key",
            "test-key",
        ),
        *(
            "username",
            "administrator",
            "superuser",
            "postgres",
            "postgresql",
            "mariadb",
            "rabbitmq",
        ),
        *("minioadmin", "elastic", "mongodb", "lm-studio", "aar-no-key"),
    }
)
#: Shorter values ("1", "true", "sk-fake") stand in honest text by chance.
SHORTEST = 8
#: Lines of a key in several lines that are looked for one by one.
_SHORTEST_LINE = 20
#: What stands alone before a URL's @ is a name, unless it is long and mixed.
_RANDOM = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z]).{16,}")
_SCHEME = re.compile(r"(?:Bearer|Basic|Token) +(\S.*)", re.IGNORECASE | re.DOTALL)


def secret_values(environment: Mapping[str, str]) -> dict[str, str]:
    """Secret values of an environment, each with the name that messages may give it.

    A value counts by its variable's name (KEY, TOKEN, PASSWORD, ...); the password of a URL and its query's
    secrets count in every variable.
    """
    found: dict[str, str] = {}
    for name, value in sorted(environment.items()):
        for secret in _secrets_under(name, value):
            found.setdefault(secret, f"the value of {name}")
    return found


def secret_options(options: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Secret values among options: option name -> its keys and values.

    Also inside JSON values, query parameters, and a command's own options and variables.
    """
    found: dict[str, str] = {}
    for option, pairs in options.items():
        for name, value in pairs.items():
            secrets = [*_secrets_under(name, value), *_inside_text(value)]
            found |= dict.fromkeys(secrets, f"a value of {option}")
    return found


def _secrets_under(name: str, value: str) -> list[str]:
    candidates = [*_url_passwords(value), *_inside_query(value)]
    if _is_secret(name, value):
        candidates += [value, *_parts(value)]
    return [each for each in candidates if is_worth_hiding(each)]


def _is_secret(name: str, value: str) -> bool:
    return is_secret_name(name) and not (counts_tokens(name) and value.strip().isdecimal())


def is_worth_hiding(value: str) -> bool:
    """Whether a value is long enough, and no placeholder."""
    return len(value.strip()) >= SHORTEST and value.strip().lower() not in _PLACEHOLDERS


def _parts(value: str) -> Iterator[str]:
    """What of a secret value is secret by itself."""
    yield value.strip()
    if (url := _url(value)) is not None and len(url.path) >= _SHORTEST_LINE:
        yield url.path  # a web hook's, as logs show it
    if scheme := _SCHEME.fullmatch(value.strip()):
        yield scheme[1]
    lines = value.replace("\\n", "\n").splitlines()
    if len(lines) > 1:
        yield from (line.strip() for line in lines if _is_key_line(line.strip()))
    if value.lstrip().startswith(("{", "[")):
        yield from _inside_json(value)


def _is_key_line(line: str) -> bool:
    return len(line) >= _SHORTEST_LINE and not line.startswith("-----")


def _inside_text(value: str) -> list[str]:
    found = [*_inside_json(value), *_inside_command(value)]
    return [each for each in found if is_worth_hiding(each)]


def _inside_json(text: str) -> Iterator[str]:
    try:
        yield from _leaves("", json.loads(text))
    except (ValueError, RecursionError):
        return


def _leaves(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _leaves(str(key), each)
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(name, each)
    elif isinstance(value, str) and is_secret_name(name):
        yield value
        yield from _parts(value)


def _url_passwords(value: str) -> Iterator[str]:
    parts = _url(value) if "@" in value else None
    if parts is None or not parts.hostname:
        return
    user, password = parts.username or "", parts.password or ""
    if not password and _RANDOM.fullmatch(user):
        password = user  # a token in the place of a name
    elif password == user:  # a default
        return
    if password:
        yield from (password, unquote(password))


def _inside_query(value: str) -> Iterator[str]:
    """The parameters of a URL whose names say so, as written and without escapes."""
    parts = _url(value) if "?" in value else None
    for pair in parts.query.split("&") if parts is not None else ():
        name, _, secret = pair.partition("=")
        if _is_secret(unquote(name), secret):
            yield from (secret, unquote_plus(secret))


def _url(value: str) -> SplitResult | None:
    try:
        parts = urlsplit(value.strip())
        is_whole = "://" in value and parts.hostname is not None
    except ValueError:
        return None
    return parts if is_whole else None


def _inside_command(value: str) -> Iterator[str]:
    """`--api-key VALUE`, `--token=VALUE`, `NAME=VALUE program`."""
    try:
        words = shlex.split(value)
    except ValueError:
        words = value.split()
    for word, following in pairwise([*words, ""]):
        name, equals, secret = word.partition("=")
        if equals and _is_secret(name, secret):
            yield secret
        elif word.startswith("-") and not following.startswith("-") and _is_secret(word, following):
            yield following
