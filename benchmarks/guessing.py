"""How far guessing gets on a set of legs: agents that open no page, and how much digits hang on their stops.

    python benchmarks/guessing.py legs [--sway 50]

Prints FA of each agent with its 95 % interval beside the floor of 10 %, the mean share of stops in the digit's value
ancestry, and with `--sway N`, for N legs of the sandbox world spread over the set, how often the digit changes when one
of these stops does.
"""

import argparse
import asyncio
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from pytest_aar.generate.sandbox import workshop
from pytest_aar.golden.perturb import sway
from pytest_aar.leg import Leg, PitStop
from pytest_aar.leg.ancestry import ancestry
from pytest_aar.leg.arithmetic import digital_root
from pytest_aar.leg_file import read_leg
from pytest_aar.score.statistics import wilson
from pytest_aar.world import load

#: The digit that an agent says for one leg, knowing all others with their digits.
Guess = Callable[[Leg, Sequence[Leg]], int]
_NUMBER = re.compile(r"(?<!\w)\d+(?:\.\d+)?")
_NEAREST = 9


def most_frequent(leg: Leg, others: Sequence[Leg]) -> int:
    """The commonest digit of the whole set, this leg's included: no agent that says one digit wins more."""
    return commonest([leg, *others])


def commonest(legs: Sequence[Leg]) -> int:
    """The commonest digit; the smaller of two."""
    counts = Counter(leg.digit for leg in legs)
    return max(range(10), key=lambda digit: (counts[digit], -digit))


def summed(leg: Leg, others: Sequence[Leg]) -> int:
    """The last digit of the sum of the clues' literals."""
    return sum(literals(leg)) % 10


def subtracted(leg: Leg, others: Sequence[Leg]) -> int:
    """The last digit of what is left of the largest literal without the others, its sign dropped."""
    found = sorted(literals(leg), reverse=True)
    return abs(sum(found[:1]) - sum(found[1:])) % 10


def rooted(leg: Leg, others: Sequence[Leg]) -> int:
    """The digital root of the sum of the clues' literals."""
    return digital_root(sum(literals(leg)))


def literals(leg: Leg) -> list[int]:
    """The whole parts of all numbers in the clues, their numbering left out."""
    text = re.sub(r"(?m)^\d+\. ", "", leg.clues)
    return [int(float(number)) for number in _NUMBER.findall(text)]


def nearest_clues(leg: Leg, others: Sequence[Leg]) -> int:
    """The commonest digit of the legs whose clues share most words."""
    own = _words(leg)
    near = sorted(others, key=lambda other: -_likeness(own, _words(other)))[:_NEAREST]
    return commonest(near)


GUESSERS: dict[str, Guess] = {
    "most frequent digit": most_frequent,
    "sum of literals": summed,
    "difference of literals": subtracted,
    "digital root of literals": rooted,
    "nearest clues": nearest_clues,
}


def hits(legs: Sequence[Leg], guess: Guess) -> int:
    """How many legs a guess wins, each judged by all the others."""
    return sum(
        guess(leg, [*legs[:place], *legs[place + 1 :]]) == leg.digit
        for place, leg in enumerate(legs)
    )


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)


_KNOWN: dict[str, frozenset[str]] = {}


def _words(leg: Leg) -> frozenset[str]:
    if leg.leg_id not in _KNOWN:
        _KNOWN[leg.leg_id] = frozenset(re.findall(r"\w+", leg.clues.casefold()))
    return _KNOWN[leg.leg_id]


async def swayed(legs: Sequence[Leg]) -> tuple[int, int, int]:
    """Stops that changed the digit, all with which there is one, and those without one.

    Each gets another number, day, or page of its kind.
    """
    world, chance = load(), random.Random(0)
    titles = {
        kind: sorted(world.pages(kind)) for kind in ("city", "country", "airport", "mountain")
    }

    async def other_text(stop: PitStop) -> str | None:
        title = world.resolve(str(stop.value))
        kind = world.page(title).kind if title else ""
        return chance.choice(titles[kind]) if kind in titles else None

    async with workshop() as shop:
        found = [await sway(leg, shop.call_tool, other_text) for leg in legs]
    changing = sum(len(each.changing) for each in found)
    broken = sum(len(each.broken) for each in found)
    return changing, changing + sum(len(each.idle) for each in found), broken


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("legs", type=Path)
    parser.add_argument("--sway", type=int, default=0, metavar="N")
    options = parser.parse_args()
    files = sorted(options.legs.glob("*/*/[0-9]*.json"))
    legs = [read_leg(path, legs_root=options.legs) for path in files]
    floor = wilson(round(len(legs) / 10), len(legs))
    print(
        f"{len(legs)} legs; guessing gets 10 %, in 95 of 100 sets between {floor[0]:.1%} and {floor[1]:.1%}"
    )
    for name, guess in GUESSERS.items():
        won = hits(legs, guess)
        low, high = wilson(won, len(legs))
        print(f"{name}: {won / len(legs):.1%} ({low:.1%} to {high:.1%})")
    shares = [len(ancestry(leg)) / len(leg.stops) for leg in legs]
    print(
        f"stops in the digit's ancestry: mean {sum(shares) / len(shares):.1%}, least {min(shares):.1%}"
    )
    if options.sway:
        chosen = legs[:: max(1, len(legs) // options.sway)][: options.sway]
        changing, tried, broken = asyncio.run(swayed(chosen))
        print(
            f"changed stops that change the digit: {changing} of {tried} ({changing / tried:.1%}); "
            f"no digit can be computed with {broken} more"
        )


if __name__ == "__main__":
    main()
