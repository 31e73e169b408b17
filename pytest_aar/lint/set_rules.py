"""Rules of a whole set of legs: ids, shared pages, digits."""

from collections.abc import Iterator, Sequence

from pytest_aar.leg import Leg

from .finding import SetFault
from .likeness import (
    FEWEST_FOR_DIGITS,
    MOST_ALIKE,
    MOST_UNEVEN,
    digit_counts,
    overlaps,
    pages_of,
    unevenness,
)


def duplicate_id(legs: Sequence[Leg]) -> Iterator[SetFault]:
    """Two files have one leg id."""
    first: dict[str, int] = {}
    for place, leg in enumerate(legs):
        if first.setdefault(leg.leg_id, place) != place:
            what = f"another file has the leg id {leg.leg_id!r}, too"
            yield SetFault(leg=place, field="trail_id", what=what)


def similar_pages(legs: Sequence[Leg]) -> Iterator[SetFault]:
    """Two legs share more than half of their pages; told at the later, with its most similar leg."""
    closest: dict[int, tuple[float, int]] = {}
    for earlier, later, overlap in overlaps([pages_of(leg) for leg in legs]):
        if overlap > max(MOST_ALIKE, closest.get(later, (0.0, 0))[0]):
            closest[later] = overlap, earlier
    for later, (overlap, earlier) in sorted(closest.items()):
        what = f"shares {overlap:.0%} of its pages with {legs[earlier].leg_id}"
        yield SetFault(leg=later, field="stops", what=what)


def unbalanced_digits(legs: Sequence[Leg]) -> Iterator[SetFault]:
    """The legs' digits are not spread evenly; told at the first leg."""
    counts = digit_counts(legs)
    found = unevenness(counts)
    if found is not None and len(legs) >= FEWEST_FOR_DIGITS and found > MOST_UNEVEN:
        listed = ", ".join(f"{digit}: {count}" for digit, count in counts.items())
        what = f"chi-square {found:.1f} > {MOST_UNEVEN:.1f} over the digits ({listed})"
        yield SetFault(leg=0, field="digit", what=what)
