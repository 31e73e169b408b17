"""Secrets of the environment: replaced in text, looked for in bytes about to be written."""

import base64
import html
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote, quote_plus

REDACTED = "<redacted>"

_NAME = re.compile(r"KEY(?!BOARD|MAP)|TOKEN|SECRET|PASSW|AUTH(?!OR(?!I))", re.IGNORECASE)
#: Names that match by accident and hold places or switches, not secrets.
_HARMLESS_NAME = re.compile(r"(_SOCK|FILE|_PATH|_DIR|_URL|_PID)$|^XAUTHORITY$", re.IGNORECASE)
#: Replacing these words would change honest text; nobody is protected by them either.
_PLACEHOLDERS = frozenset(
    {"password", "changeme", "disabled", "required", "undefined", "localhost"}
)
#: Shorter values ("1", "true", "sk-fake") stand in honest text by chance.
_SHORTEST_SECRET = 8


@dataclass(frozen=True, slots=True)
class _Shape:
    """A provider's way of writing a key; `literal`, looked for first, is what makes it fast."""

    name: str
    literal: bytes
    pattern: re.Pattern[bytes]


def _shape(name: str, literal: bytes, pattern: bytes) -> _Shape:
    return _Shape(name, literal, re.compile(pattern))


_SHAPES = (
    _shape("API key (sk-)", b"sk-", rb"sk-(?:(?:ant|proj|svcacct|or)-[\w-]{20,}|[A-Za-z0-9]{20,})"),
    _shape("Google API key", b"AIza", rb"AIza[\w-]{35}"),
    _shape("Google OAuth token", b"ya29.", rb"ya29\.[\w-]{20,}"),
    _shape("GitHub token", b"ghp_", rb"ghp_[A-Za-z0-9]{36}"),
    _shape("GitHub token", b"github_pat_", rb"github_pat_\w{22,}"),
    _shape("JSON web token", b"eyJ", rb"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"),
    _shape("bearer token", b"Bearer ", rb"Bearer (?=[\w.~+/-]*\d)[\w.~+/-]{20,}"),
    _shape(
        "password in a URL",
        b"://",
        rb"://[^\s/:@\"'<>\\?#]{1,64}:[^\s/:@\"'<>\\?#]{1,64}@(?!(?:[\w-]+\.)*example\.)[\w\[]",
    ),
)
_WORD = re.compile(rb"[A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class Secrets:
    """The secret values of one environment, in every form of writing them (longest first)."""

    forms: tuple[str, ...] = ()

    @classmethod
    def of(cls, environment: Mapping[str, str] | None = None) -> "Secrets":
        """The secrets of `environment` (default: this process's)."""
        return cls.from_values(secret_values(os.environ if environment is None else environment))

    @classmethod
    def from_values(cls, values: Iterable[str]) -> "Secrets":
        """All written forms of the given values."""
        forms = {form for value in values for form in _forms(value)}
        return cls(tuple(sorted(forms, key=lambda form: (-len(form), form))))

    def redact(self, text: str) -> str:
        """`text` with every form of every secret replaced."""
        for form in self.forms:
            if form in text:
                text = text.replace(form, REDACTED)
        return text

    def redact_bytes(self, data: bytes) -> bytes:
        """The same for bytes."""
        for form in self.forms:
            data = data.replace(form.encode(), REDACTED.encode())
        return data

    def find(self, data: bytes) -> tuple[str, ...]:
        """What looks like a secret in `data`, in words that don't repeat it; empty when clean."""
        found = [
            "the value of a secret environment variable"
            for form in self.forms
            if form.encode() in data
        ]
        found += [shape.name for shape in _SHAPES if _has(shape, data)]
        return tuple(dict.fromkeys(found))


def secret_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Values of variables whose name says secret, unless too short or a placeholder."""
    return tuple(
        value
        for name, value in sorted(environment.items())
        if _NAME.search(name)
        and not _HARMLESS_NAME.search(name)
        and len(value) >= _SHORTEST_SECRET
        and value.lower() not in _PLACEHOLDERS
    )


def _forms(value: str) -> set[str]:
    data = value.encode("utf-8", "surrogateescape")
    text = data.decode("utf-8", "replace")
    forms = {
        text,
        json.dumps(text)[1:-1],
        json.dumps(text, ensure_ascii=False)[1:-1],
        quote(data, safe=""),
        quote_plus(data),
        html.escape(text),
        data.hex(),
        data.hex().upper(),
    }
    return forms | {_base64_inside(data, shift) for shift in range(3)}


def _base64_inside(data: bytes, shift: int) -> str:
    """The base64 characters that depend on `data` alone when `shift` bytes stand before it."""
    encoded = base64.b64encode(b"\0" * shift + data).decode().rstrip("=")
    first = -(-shift * 4 // 3) if shift else 0
    whole = (shift + len(data)) * 8 // 6
    return encoded[first:whole]


def _has(shape: _Shape, data: bytes) -> bool:
    """Whether the shape stands in `data` as a word of its own (not in the middle of base64)."""
    at = data.find(shape.literal)
    while at >= 0:
        inside_word = at > 0 and _WORD.match(data, at - 1) and shape.literal != b"://"
        if not inside_word and shape.pattern.match(data, at):
            return True
        at = data.find(shape.literal, at + 1)
    return False
