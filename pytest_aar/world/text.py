"""Words and numbers as the data file holds them; shared by the build and the services."""

import re
import unicodedata
import zlib
from collections.abc import Iterator

#: Shards of the search index.
SHARDS = 256
#: Pages per block, one line of JSON each: one read unpacks about 60 kB.
BLOCK_PAGES = 64
#: Letters that Unicode doesn't take apart into a plain letter and an accent.
_LETTERS = str.maketrans(
    {"đ": "d", "Đ": "D", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "\u0131": "i", "ð": "d", "Ð": "D"}
    | {"æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "þ": "th", "Þ": "Th", "ħ": "h", "Ħ": "H"}
    | {"\u2019": "'", "\u2018": "'", "\u02bb": "'", "\u02bc": "'"}
)
_WORD = re.compile(r"[^\W_]+")


def fold(text: str) -> str:
    """Lower case without accents, blanks joined: the form in which names are compared."""
    if not text.isascii():
        plain = unicodedata.normalize("NFKD", text.translate(_LETTERS))
        text = "".join(char for char in plain if not unicodedata.combining(char))
    return " ".join(text.casefold().split())


def words(text: str) -> list[str]:
    """The words of a text in folded form; single letters are dropped, single digits kept."""
    return [word for word in _WORD.findall(fold(text)) if len(word) > 1 or word.isdigit()]


def shard_of(word: str) -> int:
    """The shard of the search index that holds a word."""
    return zlib.crc32(word.encode()) % SHARDS


def varint(number: int) -> bytes:
    """Seven bits per byte, low first; the top bit says that more follow."""
    out = bytearray()
    while number > 0x7F:  # noqa: PLR2004 - the seven bits of the sentence above
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def postings(data: bytes, start: int, count: int) -> Iterator[tuple[int, int]]:
    """(page number, weighted count) of one word: `count` pairs of varint difference and byte."""
    page = -1
    at = start
    for _ in range(count):
        step = shift = 0
        while True:
            byte = data[at]
            at += 1
            step |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:  # noqa: PLR2004 - the top bit of a varint
                break
        page += step
        yield page, data[at]
        at += 1
