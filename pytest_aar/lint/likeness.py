"""How alike the legs of a set are: shared pages (Jaccard), and how evenly their digits are spread."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pytest_aar.leg import Leg
from pytest_aar.score import canonical_title

#: Two legs of one set share at most this part of their pages.
MOST_ALIKE = 0.5
#: The chi-square of ten counts that evenly spread digits exceed once in a hundred sets (9 degrees).
MOST_UNEVEN = 21.666
#: Below five expected for each digit the chi-square says nothing.
FEWEST_FOR_DIGITS = 50
_DIGITS = 10


def pages_of(leg: Leg) -> frozenset[str]:
    """The titles of the leg's route-info pages."""
    return frozenset(canonical_title(stop.page_url or "") for stop in leg.route_infos)


def jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    """Shared pages / pages of either, 0 to 1; 0 for two empty sets."""
    either = len(first | second)
    return len(first & second) / either if either else 0.0


def overlaps(pages: Sequence[frozenset[str]]) -> Iterator[tuple[int, int, float]]:
    """(place, later place, Jaccard) of each two legs that share a page, by place."""
    holders: dict[str, list[int]] = {}
    for later, own in enumerate(pages):
        shared: Counter[int] = Counter()
        for page in own:
            shared.update(holders.setdefault(page, []))
            holders[page].append(later)
        for earlier, count in sorted(shared.items()):
            yield earlier, later, count / (len(own) + len(pages[earlier]) - count)


def mean_overlap(pages: Sequence[frozenset[str]]) -> float | None:
    """The mean Jaccard over all pairs of legs, those that share nothing included; None for one leg."""
    pairs = len(pages) * (len(pages) - 1) // 2
    return sum(overlap for _, _, overlap in overlaps(pages)) / pairs if pairs else None


def digit_counts(legs: Iterable[Leg]) -> Mapping[int, int]:
    """How many legs end in each of the ten digits."""
    found = Counter(leg.digit for leg in legs)
    return {digit: found[digit] for digit in range(_DIGITS)}


def unevenness(counts: Mapping[int, int]) -> float | None:
    """The chi-square of digits against an even spread (9 degrees of freedom); None for no leg."""
    expected = sum(counts.values()) / _DIGITS
    if not expected:
        return None
    return sum((count - expected) ** 2 for count in counts.values()) / expected
