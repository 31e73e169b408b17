"""The words and numbers by which legs are grouped, in the paper's order."""

VARIANTS = ("linear", "dag")
LEVELS = ("easy", "medium", "hard", "extreme")
#: Fewest and most diamonds of a leg of the DAG variant (the paper's Table 4).
DIAMONDS = {"easy": (1, 1), "medium": (1, 2), "hard": (2, 3), "extreme": (3, 5)}
#: First and last number of pit stops of each row of the paper's Table 8.
LENGTHS = ((3, 8), (9, 14), (15, 20), (21, 26), (27, 40))


def cell_rank(variant: str, level: str) -> tuple[int, int, str]:
    """Sorts cells of variant and level; levels of one's own come last, by name."""
    return _place(variant, VARIANTS), _place(level, LEVELS), level


def length_bins() -> tuple[str, ...]:
    """The names of Table 8's rows."""
    return tuple(f"{first}-{last}" for first, last in LENGTHS)


def length_bin(stops: int) -> str:
    """The name of the row that a number of pit stops is in; legs longer or shorter have their own."""
    for first, last in LENGTHS:
        if first <= stops <= last:
            return f"{first}-{last}"
    return f"1-{LENGTHS[0][0] - 1}" if stops < LENGTHS[0][0] else f"{LENGTHS[-1][1] + 1}+"


def _place(name: str, order: tuple[str, ...]) -> int:
    return order.index(name) if name in order else len(order)
