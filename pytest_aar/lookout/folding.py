"""One form for all spellings of a text, so that a needle is found in any of them.

The usual text costs one pass of `bytes.translate`. Only where characters occur that Unicode's compatibility
form (NFKC) would turn into ASCII, or JSON escapes of such or of ASCII itself, is it decoded.
"""

import re
import string
import unicodedata
from collections.abc import Callable

#: White space and quotes go (a wrapped GUID is one), backslashes too (JSON's `\/` is a slash).
_DROPPED = b" \t\r\n\v\f\0\\\"'`"
_ESCAPED_SPACE = re.compile(rb"\\[nrtvf]")
_LOWER = bytes.maketrans(string.ascii_uppercase.encode(), string.ascii_lowercase.encode())
_APART = bytes(10 if byte in _DROPPED else _LOWER[byte] for byte in range(256))

# Escapes of ASCII (002x to 007x), full-width forms (ffxx), superscripts and subscripts, circled and
# mathematical letters and digits. Others, such as accents, are in honest pages by the thousand.
_ODD_ESCAPE = re.compile(rb"\\u(?:00[2-7]|[fF][fF]|20[78]|24|[dD]835)")
#: How such characters begin in UTF-8.
_ODD_BYTES = re.compile(
    rb"\xef[\xbc\xbd]|\xf0\x9d[\x90-\x9f]|\xe2[\x81\x82\x91-\x93]|\xc2[\xb2\xb3\xb9]"
)
_ASCII = bytes(range(128))
#: Bytes kept around what is new in a request: a needle may lie across the border.
_AROUND = 512
_ESCAPE = re.compile(r"(?<!\\)\\+u([0-9a-fA-F]{4})")


def fold(data: bytes) -> bytes:
    """Lower case, without white space, quotes and backslashes; odd characters in their plain form."""
    if is_odd(data):
        data = _plain(data)
    return data.translate(_LOWER, _DROPPED)


def fold_apart(data: bytes) -> bytes:
    """The same with a line break for each white space and quote: where words end can be seen."""
    if is_odd(data):
        data = _plain(data)
    return _ESCAPED_SPACE.sub(b"\n", data).translate(_APART, b"\\")


def is_odd(data: bytes) -> bool:
    """Whether it holds other spellings of ASCII than ASCII."""
    if b"\\u" in data and _ODD_ESCAPE.search(data):
        return True
    # Without the ASCII there is little left to search.
    return not data.isascii() and bool(_ODD_BYTES.search(data.translate(None, _ASCII)))


def _plain(data: bytes) -> bytes:
    text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), data.decode("utf-8", "replace"))
    # Two escapes may be the halves of one character.
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return unicodedata.normalize("NFKC", whole).casefold().encode("utf-8", "replace")


def new_part(data: bytes, last: bytes) -> bytes:
    """What `data` holds beyond its common beginning and end with `last`, and some bytes around that."""
    shared = _shared(len(last), len(data), lambda size: data[:size] == last[:size])
    rest, left = data[shared:], last[shared:]
    ending = _shared(len(left), len(rest), lambda size: rest[-size:] == left[-size:])
    return data[max(0, shared - _AROUND) : len(data) - max(0, ending - _AROUND)]


def _shared(one: int, other: int, agree: Callable[[int], bool]) -> int:
    """The greatest size at which the two agree; comparing slices costs less than walking bytes."""
    low, high = 0, min(one, other)
    while low < high:
        size = (low + high + 1) // 2
        if agree(size):
            low = size
        else:
            high = size - 1
    return low
