"""Which stops the finish line's literals stand for, and their new values."""

from collections.abc import Mapping

from pytest_aar.leg import FinishLine, Value
from pytest_aar.readings import number_of

from . import arithmetic


def partners_of(stop: FinishLine, golden: Mapping[int, Value]) -> dict[int, int]:
    """Literal place -> the stop it stands for, by the golden values; see `matched_operands`.

    Raises ValueError when the expression is none.
    """
    literals = arithmetic.operand_literals(stop.expression)
    numbers = [number_of(golden.get(index)) for index in stop.operands]
    matched = arithmetic.matched_operands(literals, numbers)
    return {place: stop.operands[partner] for place, partner in matched.items()}


def fresh_operands(partners: Mapping[int, int], values: Mapping[int, Value]) -> dict[int, int]:
    """Literal place -> the whole number that its stop's value is now; places without one left out."""
    numbers = {place: number_of(values.get(index)) for place, index in partners.items()}
    return {place: int(number) for place, number in numbers.items() if number is not None}
