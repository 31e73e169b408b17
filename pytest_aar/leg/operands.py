"""Which listed stops the finish line's literals stand for: the only matcher of the two."""

from collections.abc import Callable, Mapping, Sequence

from pytest_aar.transforms import whole_number

from .arithmetic import Number, operand_literals
from .records import FinishLine, Value

_Matcher = Callable[[Sequence[Number], Sequence[Number | None]], dict[int, int]]


def held_operands(finish: FinishLine, values: Mapping[int, Value]) -> dict[int, int]:
    """Literal place -> the listed stop whose value it is. Raises ValueError when the expression is none."""
    return _stops(finish, values, matched_operands)


def partners_of(finish: FinishLine, values: Mapping[int, Value]) -> dict[int, int]:
    """The same, with changed literals or values paired in order; see `paired_operands`."""
    return _stops(finish, values, paired_operands)


def unknown_literals(finish: FinishLine, values: Mapping[int, Value]) -> tuple[Number, ...]:
    """The literals that are the value of no listed stop. Raises ValueError when the expression is none."""
    wholes = [_whole(values.get(index)) for index in finish.operands]
    literals = operand_literals(finish.expression)
    return tuple(each for each in literals if not any(_is_held(each, whole) for whole in wholes))


def matched_operands(literals: Sequence[Number], values: Sequence[Number | None]) -> dict[int, int]:
    """Which operand (place in `values`) each literal (place in `literals`) is the value of.

    Each operand once; then a literal that repeats an operand is that one again.
    """
    free = list(range(len(values)))
    found: dict[int, int] = {}
    for place, literal in enumerate(literals):
        partner = next((index for index in free if _is_held(literal, values[index])), None)
        if partner is not None:
            found[place] = partner
            free.remove(partner)
    for place, literal in enumerate(literals):
        again = next((index for index in found.values() if _is_held(literal, values[index])), None)
        if again is not None:
            found.setdefault(place, again)
    return found


def paired_operands(literals: Sequence[Number], values: Sequence[Number | None]) -> dict[int, int]:
    """The same, and if as many literals as operands are left, these are paired in order.

    A changed literal or value then still finds its partner.
    """
    found = matched_operands(literals, values)
    left = [place for place in range(len(literals)) if place not in found]
    free = [place for place in range(len(values)) if place not in found.values()]
    return found | (dict(zip(left, free, strict=True)) if len(left) == len(free) else {})


def _stops(finish: FinishLine, values: Mapping[int, Value], matcher: _Matcher) -> dict[int, int]:
    listed = tuple(dict.fromkeys(finish.operands))
    wholes = [_whole(values.get(index)) for index in listed]
    matched = matcher(operand_literals(finish.expression), wholes)
    return {place: listed[partner] for place, partner in matched.items()}


def _is_held(literal: Number, value: Number | None) -> bool:
    """Published expressions drop a value's sign."""
    return value is not None and int(literal) in (int(value), abs(int(value)))


def _whole(value: Value | None) -> int | None:
    """A value's whole part with its sign; None when it is no number."""
    try:
        size = whole_number(value)
    except ValueError:
        return None
    return -size if str(value).lstrip().startswith("-") else size
