"""The ways in which a text may write a secret: escaped, quoted, in hexadecimal digits, in base64."""

import base64
import html
import json
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import quote, quote_plus

#: A tool's output that quotes JSON stands in a message, which stands in a request, which stands in a journal.
_JSON_LEVELS = 4


@lru_cache(maxsize=64)
def forms_of(value: str) -> frozenset[str]:
    """Every form of the value that is looked for; the value itself is one."""
    data = value.encode("utf-8", "surrogateescape")
    text = data.decode("utf-8", "replace")
    found = {text}
    for written in _in_html(text):
        found |= _in_json(written)
    coded = {base64.b64encode(data).decode().rstrip("=")}
    coded |= {_base64_inside(data, shift) for shift in range(3)}
    coded |= {form.translate(_URL_SAFE) for form in coded}
    for form in coded | {""}:
        found |= _in_urls(form.encode() or data) | {form}
    return frozenset(found | {data.hex(), data.hex().upper()} - {""}) - {""}


_URL_SAFE = str.maketrans("+/", "-_")


def _in_html(text: str) -> Iterator[str]:
    yield text
    yield html.escape(text)
    yield html.escape(text, quote=False)
    yield html.escape(text, quote=False).replace('"', "&#34;").replace("'", "&#39;")
    yield html.escape(text, quote=False).replace('"', "&quot;").replace("'", "&#39;")


def _in_json(text: str) -> set[str]:
    """The text and its escapes; some writers escape slashes, others what HTML would take for markup."""
    level = {_dumped(text, ascii_only=True), _dumped(text, ascii_only=False)}
    level |= {form.replace("/", r"\/") for form in level}
    level |= {_markup_escaped(form) for form in level}
    found = {text} | level
    for _ in range(_JSON_LEVELS - 1):
        level = {
            _dumped(form, ascii_only=ascii_only) for form in level for ascii_only in (True, False)
        }
        found |= level
    return found


def _dumped(text: str, *, ascii_only: bool) -> str:
    return json.dumps(text, ensure_ascii=ascii_only)[1:-1]


def _markup_escaped(text: str) -> str:
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def _in_urls(data: bytes) -> set[str]:
    once = {quote(data, safe=""), quote(data), quote_plus(data)}
    small = {_small_escapes(form) for form in once}
    return once | small | {quote(form, safe="") for form in once | small}


def _small_escapes(quoted: str) -> str:
    """`%2F` as `%2f`: both are in use."""
    first, *rest = quoted.split("%")
    return "%".join([first, *(part[:2].lower() + part[2:] for part in rest)])


def _base64_inside(data: bytes, shift: int) -> str:
    """The base64 characters that depend on `data` alone when `shift` bytes stand before it."""
    encoded = base64.b64encode(b"\0" * shift + data).decode().rstrip("=")
    first = -(-shift * 4 // 3) if shift else 0
    whole = (shift + len(data)) * 8 // 6
    return encoded[first:whole]
