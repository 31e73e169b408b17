"""Which values are secret: by the name they stand under, or by how they are written."""

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

#: AUTHOR, KEYBOARD, MONKEY, TOKENIZERS and the like only look so; `_PAT` must not be the start of `_PATH`.
_NAME = re.compile(
    r"(?<!MON)(?<!TUR)(?<!DON)(?<!HOT)(?<!HOC)KEY(?!BOARD|MAP|FRAME|WORD|NOTE|SYM|CHAIN|STROKE|CODE)"
    r"|TOKEN(?!I[ZS])|SECRET(?!ARY)|PASSW|PASSPHRASE|CREDENTIAL|AUTH(?!OR(?!I))|COOKIE"
    r"|(?:^|_)PAT(?:$|_)|DSN|_PWD$",
    re.IGNORECASE,
)
#: Names that hold places, switches or counts, not secrets. A URL's password counts all the same.
_HARMLESS_NAME = re.compile(
    r"(_SOCK|FILE|_PATH|_DIR|_URL|_URI|_PID|_NAME|_TYPE|_MODE|_METHOD|_HOST|_PORT|_REGION|_ALGORITHM)$"
    r"|^XAUTHORITY$|^GIT_AUTHOR_",
    re.IGNORECASE,
)
#: Counts of tokens: `MAX_TOKENS=16000000`.
_COUNT = re.compile(r"TOKENS?(_|$)", re.IGNORECASE)
#: Replacing these words would change honest text; nobody is protected by them either.
_PLACEHOLDERS = frozenset(
    {
        *("password", "changeme", "disabled", "enabled", "required", "optional", "undefined"),
        *("anonymous", "localhost", "not-needed", "no-key-needed", "lm-studio", "aar-no-key"),
    }
)
#: Shorter values ("1", "true", "sk-fake") stand in honest text by chance.
SHORTEST = 8
#: Lines of a key in several lines that are looked for one by one.
_SHORTEST_LINE = 20
_SCHEME = re.compile(r"(?:Bearer|Basic|Token) +(\S.*)", re.IGNORECASE | re.DOTALL)


def secret_values(environment: Mapping[str, str]) -> dict[str, str]:
    """Secret values of an environment, each with the name that messages may give it.

    A value counts by its variable's name (KEY, TOKEN, PASSWORD, ...), and the password of a URL counts
    in every variable.
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
    candidates = list(_url_passwords(value))
    if _is_secret(name, value):
        candidates += [value, *_parts(value)]
    return [each for each in candidates if is_worth_hiding(each)]


def _is_secret(name: str, value: str) -> bool:
    return is_secret_name(name) and not (_COUNT.search(name) and value.strip().isdecimal())


def is_secret_name(name: str) -> bool:
    """Whether what stands under this name is secret."""
    name = name.replace("-", "_")
    return bool(_NAME.search(name)) and not _HARMLESS_NAME.search(name)


def is_worth_hiding(value: str) -> bool:
    """Whether a value is long enough, and no placeholder."""
    return len(value.strip()) >= SHORTEST and value.strip().lower() not in _PLACEHOLDERS


def _parts(value: str) -> Iterator[str]:
    """What of a secret value is secret by itself."""
    yield value.strip()
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
    found = [*_inside_json(value), *_inside_query(value), *_inside_command(value)]
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
    if "@" not in value or "://" not in value:
        return
    try:
        parts = urlsplit(value.strip())
        user, password = parts.username, parts.password
    except ValueError:
        return
    secret = password or user or ""
    if parts.hostname and secret:
        yield from (secret, unquote(secret))


def _inside_query(value: str) -> Iterator[str]:
    yield from _url_passwords(value)
    if "?" in value:
        pairs: Iterable[tuple[str, str]] = parse_qsl(value.partition("?")[2])
        yield from (secret for name, secret in pairs if is_secret_name(name))


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
