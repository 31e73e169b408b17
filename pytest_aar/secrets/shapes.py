"""How providers write their keys: what gives an unknown secret away."""

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """A provider's way of writing a key; `literal`, looked for first, is what makes it fast.

    `wraps`: the key may be broken over lines. `inside`: it may stand in the middle of a word.
    """

    name: str
    literal: bytes
    pattern: re.Pattern[bytes]
    wraps: bool = False
    inside: bool = False


def _key(name: str, literal: bytes, pattern: bytes) -> _Shape:
    return _Shape(name=name, literal=literal, pattern=re.compile(pattern), wraps=True)


def _text(name: str, literal: bytes, pattern: bytes, *, inside: bool = False) -> _Shape:
    return _Shape(name=name, literal=literal, pattern=re.compile(pattern), inside=inside)


_SHAPES = (
    _key(
        "API key (sk-)",
        b"sk-",
        rb"sk-(?:(?:ant|proj|svcacct|admin|or)-[\w-]{20,}|(?=[A-Za-z0-9]*\d)[A-Za-z0-9]{20,})",
    ),
    _key("Google API key", b"AIza", rb"AIza[\w-]{35}"),
    _key("Google OAuth token", b"ya29.", rb"ya29\.[\w-]{20,}"),
    _key("Google OAuth client secret", b"GOCSPX-", rb"GOCSPX-[\w-]{20,}"),
    *(
        _key("GitHub token", mark, mark + rb"[A-Za-z0-9]{36}")
        for mark in (b"ghp_", b"gho_", b"ghs_")
    ),
    _key("GitHub token", b"github_pat_", rb"github_pat_\w{22,}"),
    _key("GitLab token", b"glpat-", rb"glpat-[\w-]{20,}"),
    _key("AWS access key", b"AKIA", rb"AKIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _key("AWS access key", b"ASIA", rb"ASIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _key("Slack token", b"xox", rb"xox[abeoprs]-[A-Za-z0-9-]{20,}"),
    _key("Stripe key", b"_live_", rb"_live_[A-Za-z0-9]{20,}"),
    _key("Hugging Face token", b"hf_", rb"hf_[A-Za-z0-9]{34}"),
    _key("npm token", b"npm_", rb"npm_[A-Za-z0-9]{36}"),
    _key("PyPI token", b"pypi-", rb"pypi-AgE[\w-]{40,}"),
    _key("Groq key", b"gsk_", rb"gsk_[A-Za-z0-9]{40,}"),
    _key("xAI key", b"xai-", rb"xai-[A-Za-z0-9]{40,}"),
    _key("JSON web token", b"eyJ", rb"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"),
    _text("private key", b"-----BEGIN ", rb"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----", inside=True),
    _text("bearer token", b"earer ", rb"earer (?=[\w.~+/-]*\d)[\w.~+/-]{20,}", inside=True),
    _text(
        "password in a header",
        b"asic ",
        rb"asic (?=[A-Za-z+/]*\d)(?=[0-9a-z+/]*[A-Z])[A-Za-z0-9+/]{16,}={0,2}(?![\w+/=])",
        inside=True,
    ),
    *(
        _text(
            "AWS secret key",
            name,
            name + rb"[\\\"'\s:=>]{1,12}[A-Za-z0-9/+]{40}(?![\w+/])",
            inside=True,
        )
        for name in (
            b"SECRET_ACCESS_KEY",
            b"secret_access_key",
            b"SecretAccessKey",
            b"secretAccessKey",
        )
    ),
    _text(
        "password in a URL",
        b"://",
        rb"://[^\s/:@\"'<>\\?#]{0,64}:[^\s/:@\"'<>\\?#]{1,128}@(?!(?:[\w-]+\.)*example\.)(?=[\w\[])",
        inside=True,
    ),
)
_WORD = re.compile(rb"[A-Za-z0-9_-]")
#: Stripe's prefix has another word before it.
_AFTER_WORD = (b"_live_",)
_EXAMPLE = re.compile(rb"EXAMPLE|[xX*]{6}|(?i:your)[-_]")
_BREAK = re.compile(rb"(?:\\+[rn]|[\r\n])+[ \t]*")
_LONGEST = 400


def shapes_in(data: bytes) -> tuple[str, ...]:
    """Names of the shapes that stand in `data`."""
    return tuple(dict.fromkeys(shape.name for shape in _SHAPES if any(_places(shape, data))))


def without_shapes(data: bytes, replacement: bytes) -> bytes:
    """`data` with every key of a known shape replaced, for messages to people."""
    for shape in _SHAPES:
        for start, end in reversed([*_places(shape, data)]):
            data = data[:start] + replacement + data[end:]
    return data


def _places(shape: _Shape, data: bytes) -> Iterator[tuple[int, int]]:
    """Start and end where the shape stands as a word of its own (not in the middle of base64)."""
    at = data.find(shape.literal)
    while at >= 0:
        end = _end(shape, data, at) if _may_start(shape, data, at) else None
        if end is not None:
            yield at, end
        at = data.find(shape.literal, end or at + 1)


def _may_start(shape: _Shape, data: bytes, at: int) -> bool:
    if shape.inside or at == 0 or shape.literal in _AFTER_WORD:
        return True
    # The n of an escaped line break is no letter of a word.
    escaped = at > 1 and data[at - 2 : at] in (b"\\n", b"\\t", b"\\r")
    return escaped or not _WORD.match(data, at - 1)


def _end(shape: _Shape, data: bytes, at: int) -> int | None:
    match = shape.pattern.match(data, at)
    if match is None and shape.wraps:
        return _wrapped_end(shape, data, at)
    if match is None or _EXAMPLE.search(match[0]):
        return None
    return match.end()


def _wrapped_end(shape: _Shape, data: bytes, at: int) -> int | None:
    """Where a key ends that is broken over lines."""
    window = data[at : at + _LONGEST]
    if b"\n" not in window and b"\\n" not in window:
        return None
    match = shape.pattern.match(_BREAK.sub(b"", window))
    if match is None or _EXAMPLE.search(match[0]):
        return None
    kept, length = 0, 0
    for part in _BREAK.split(window):
        if kept + len(part) >= match.end():
            break
        kept += len(part)
        length += len(part)
        broken = _BREAK.match(window, length)
        length += len(broken[0]) if broken else 0
    return at + length + match.end() - kept
