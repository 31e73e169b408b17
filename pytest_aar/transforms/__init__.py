"""The 14 detour transforms: an earlier stop's value in, a whole number out.

Thirteen occur in the published data; `scrabble_score` is this project's addition. A transform's
*domain* says for which values it makes a fair question (a digit sum of 7 is no puzzle): generation
keeps to it. `apply` computes outside the domain too, because published legs leave it.
"""

from collections.abc import Mapping
from types import MappingProxyType

from .numbers import NUMBERS
from .record import Transform, whole_number
from .words import WORDS
from .years import YEARS

__all__ = ["TRANSFORMS", "Transform", "apply", "whole_number"]

#: Name -> transform, in a fixed order.
TRANSFORMS: Mapping[str, Transform] = MappingProxyType(
    {each.name: each for each in (*NUMBERS, *YEARS, *WORDS)}
)


def apply(name: str, value: object) -> int:
    """The transform `name` of `value`.

    Raises ValueError for an unknown name, or a value that the transform can't take.
    """
    if name not in TRANSFORMS:
        raise ValueError(f"unknown transform {name!r}; there are: {', '.join(TRANSFORMS)}")
    transform = TRANSFORMS[name]
    return transform.function(transform.argument(value))
