"""Intervals: Wilson for shares, percentile bootstrap for means of rates."""

import math
import random
from collections.abc import Sequence

#: The 97.5th percentile of the normal distribution: intervals of 95 %.
_Z = 1.959963984540054
_TAIL = 0.025


def wilson(successes: int, races: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share; (0, 1) without any race."""
    if not races:
        return 0.0, 1.0
    share, z2 = successes / races, _Z * _Z
    center = share + z2 / (2 * races)
    spread = _Z * math.sqrt(share * (1 - share) / races + z2 / (4 * races * races))
    scale = 1 + z2 / races
    # The point itself bounds the interval: rounding must not push 0 or 1 out of it.
    low, high = (center - spread) / scale, (center + spread) / scale
    return max(0.0, min(low, share)), min(1.0, max(high, share))


def bootstrap_mean(
    values: Sequence[float], *, resamples: int = 2000, seed: int = 0
) -> tuple[float, float]:
    """The percentile bootstrap's 95 % interval of the mean; the same for the same values.

    Raises ValueError without values.
    """
    if not values:
        raise ValueError("no values: a mean of nothing has no interval")
    count = len(values)
    mean = math.fsum(values) / count
    if min(values) == max(values):
        return mean, mean
    choices = random.Random(seed).choices
    means = sorted(sum(choices(values, k=count)) / count for _ in range(resamples))
    low = means[math.floor(_TAIL * (resamples - 1))]
    high = means[math.ceil((1 - _TAIL) * (resamples - 1))]
    return min(low, mean), max(high, mean)
