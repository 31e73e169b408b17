"""The arithmetic of one rate: how many requests a server may still count, and until when.

A request is under way from before the server can see it until after it has answered. It is counted from its start
until a whole window after its end; so a server, which counts it at some moment in between, never sees more than
`count` in any window, however long its road was. Ends are kept in bins, each counted as its latest moment.
"""

from collections.abc import Mapping
from math import ceil

from .policies import Rate

_BINS = 200


def bin_of(end: float, rate: Rate) -> int:
    """The number of the bin in which a request that ended then is kept."""
    return ceil(end * _BINS / rate.seconds)


def leaves(number: int, rate: Rate) -> float:
    """When the requests of a bin are counted no more."""
    return number * rate.seconds / _BINS + rate.seconds


def counted(bins: Mapping[int, int], rate: Rate, now: float) -> int:
    """Ended requests that still count."""
    return sum(count for number, count in bins.items() if leaves(number, rate) > now)


def wait(bins: Mapping[int, int], rate: Rate, now: float, *, ahead: int) -> float | None:
    """Seconds until one more may start when `ahead` (under way, or first in the queue) go before it.

    None: that depends on when those under way end.
    """
    missing = ahead + counted(bins, rate, now) + 1 - rate.count
    if missing <= 0:
        return 0.0
    for number in sorted(bins):
        if leaves(number, rate) > now:
            missing -= bins[number]
            if missing <= 0:
                return leaves(number, rate) - now
    return None
