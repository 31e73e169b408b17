"""Which digit each leg of an order is to end on: fixed beforehand, so that legs can be made in any order.

Digits come from shuffled decks of ten, so that each is about as frequent; some cards are jokers, so
that nobody can tell a leg's digit from those of the others.
"""

import random

_DECK = 10
_JOKERS = 2
#: One leg in so many may end with a digital root, which is never 0.
_ROOTS = 3


def digit_for(key: str, number: int) -> int:
    """The digit of leg `number` (from 1) of the order that `key` stands for."""
    deck, place = divmod(number - 1, _DECK)
    chance = random.Random(f"{key}/digits/{deck}")
    cards = chance.sample(range(_DECK), _DECK)
    for joker in chance.sample(range(_DECK), _JOKERS):
        cards[joker] = chance.randrange(_DECK)
    return cards[place]


def may_root(key: str, number: int) -> bool:
    """Whether the finish line of leg `number` is a digital root: at most one of any three in a row from 1."""
    group, place = divmod(number - 1, _ROOTS)
    chosen = random.Random(f"{key}/roots/{group}").randrange(_ROOTS)
    return place == chosen and digit_for(key, number) != 0
