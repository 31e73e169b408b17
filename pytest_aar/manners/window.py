"""The arithmetic of rates: how many requests a server may still count, and until when.

A request is under way from before the server can see it until after it has answered. It is counted from its start
until a whole window after its end; so a server, which counts it at some moment in between, never sees more than
`count` in any window, however long its road was. A request of weight n is counted as n of them.

Ends are groups `[first, last, count]` in order of time, one list for all rates, also those of later runs; a group is
counted as its latest end. The older, the coarser: by a hundredth of their age within a service's own windows.
"""

from .policies import Rate

Ends = list[list[float]]

#: Seconds for which ends are kept at least: the next run's limits may be on the day.
KEPT = 86_400.0
_FINE, _COARSE = 0.01, 0.05
#: So many groups make it worth looking whether some can be joined or dropped.
_TIDIED = 16


def note(ends: Ends, now: float, *, longest: float, weight: int = 1) -> None:
    """Add the end of a request. `longest`: the seconds of the longest window that is in use."""
    ends.append([now, now, weight])
    if len(ends) % _TIDIED == 0:
        _tidy(ends, now, longest)


def wait(ends: Ends, rate: Rate, now: float, *, ahead: int, weight: int = 1) -> float | None:
    """Seconds until one more may start when `ahead` (under way, or first in the queue) go before it.

    What weighs more than the whole rate waits until nothing else counts. None: that depends on when those under way
    end.
    """
    counted = [(last, count) for _, last, count in ends if last + rate.seconds > now]
    missing = ahead + sum(count for _, count in counted) + min(weight, rate.count) - rate.count
    if missing <= 0:
        return 0.0
    for last, count in counted:
        missing -= count
        if missing <= 0:
            return last + rate.seconds - now
    return None


def _tidy(ends: Ends, now: float, longest: float) -> None:
    kept: Ends = []
    for first, last, count in ends:
        age = now - last
        if age >= max(KEPT, longest):
            continue
        if kept and last - kept[-1][0] <= age * (_FINE if age < longest else _COARSE):
            kept[-1][1:] = [last, kept[-1][2] + count]
        else:
            kept.append([first, last, count])
    ends[:] = kept
