"""Packed bodies in any pieces: what is in them, and never more than asked for."""

import gzip
import zlib

import pytest

from pytest_aar.tools.inflate import Inflated, NotInflatable

TEXT = b"words and words " * 40
RAW = zlib.compress(TEXT)[2:-4]
BODIES = {
    "gzip": ("gzip", gzip.compress(TEXT)),
    "zlib": ("deflate", zlib.compress(TEXT)),
    "raw": ("deflate", RAW),
    "raw, stored": ("deflate", zlib.compress(TEXT, 0)[2:-4]),
    "raw, fast": ("deflate", zlib.compress(TEXT, 1)[2:-4]),
    "gzip as deflate": ("deflate", gzip.compress(TEXT)),
    "zlib as gzip": ("gzip", zlib.compress(TEXT)),
    "members": ("gzip", gzip.compress(TEXT[:100]) + gzip.compress(b"") + gzip.compress(TEXT[100:])),
    "padding": ("gzip", gzip.compress(TEXT) + bytes(64)),
    "garbage": ("gzip", gzip.compress(TEXT) + b"\n\n" + gzip.compress(b"more")),
    "plain": ("", TEXT),
}


def inflated(encoding: str, body: bytes, *, sizes: tuple[int, ...], most: int = 10_000) -> bytes:
    """Fed in pieces of these sizes, the last one again and again."""
    found, at, left = Inflated(encoding, most=most), 0, list(sizes)
    while at < len(body):
        size = left.pop(0) if len(left) > 1 else left[0]
        found.feed(body[at : at + size])
        at += size
    return found.whole()


@pytest.mark.parametrize("sizes", [(10_000,), (1,), (1, 10_000), (2, 1), (3, 7), (0, 1, 10_000)])
@pytest.mark.parametrize("kind", BODIES)
def test_the_pieces_make_no_difference(kind: str, sizes: tuple[int, ...]) -> None:
    assert inflated(*BODIES[kind], sizes=sizes) == TEXT


@pytest.mark.parametrize("most", [1, 99, 100, 101, len(TEXT)])
@pytest.mark.parametrize("kind", BODIES)
def test_no_more_than_asked_for(kind: str, most: int) -> None:
    for sizes in ((10_000,), (1,)):
        assert inflated(*BODIES[kind], sizes=sizes, most=most) == TEXT[:most]


@pytest.mark.parametrize("sizes", [(10_000,), (1,)])
@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_what_is_not_packed(encoding: str, sizes: tuple[int, ...]) -> None:
    with pytest.raises(NotInflatable, match=encoding):
        inflated(encoding, b"\xff\xfe\xfd words", sizes=sizes)


@pytest.mark.parametrize("sizes", [(10_000,), (1,)])
def test_a_broken_second_member(sizes: tuple[int, ...]) -> None:
    with pytest.raises(NotInflatable, match="gzip: "):
        inflated("gzip", gzip.compress(TEXT) + b"\x1f\x8b" + b"\xff" * 20, sizes=sizes)


@pytest.mark.parametrize("kind", ["gzip", "zlib", "raw"])
def test_half_a_body_is_half_the_text(kind: str) -> None:
    encoding, body = BODIES[kind]
    found = inflated(encoding, body[: len(body) - 3], sizes=(5,))
    assert found
    assert TEXT.startswith(found)
