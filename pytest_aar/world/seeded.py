"""Numbers drawn from names: the same on every machine, in every process, in any order.

`random` and `hash` are out: the first has state, the second differs between processes.
"""

import hashlib
from math import log

_KEY = b"aar-world-1"
_SCALE = float(1 << 64)


def draw(*parts: object) -> int:
    """A 64-bit integer for this tuple of names and numbers."""
    text = "\x1f".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8, key=_KEY).digest(), "big")


def unit(*parts: object) -> float:
    """A float in [0, 1)."""
    return draw(*parts) / _SCALE


def between(low: float, high: float, *parts: object) -> float:
    """A float in [low, high)."""
    return low + (high - low) * unit(*parts)


def exponential(mean: float, *parts: object) -> float:
    """A positive float, exponentially distributed."""
    return -mean * log(1.0 - unit(*parts))


def smooth(position: float, *parts: object) -> float:
    """Value noise in [-1, 1]: random at whole positions, a smooth curve in between."""
    left = int(position // 1)
    share = position - left
    weight = share * share * (3 - 2 * share)
    first, second = unit(left, *parts), unit(left + 1, *parts)
    return 2 * (first + (second - first) * weight) - 1
