"""The new values of the finish line's literals."""

from collections.abc import Mapping

from pytest_aar.leg import Value
from pytest_aar.readings import number_of


def fresh_operands(partners: Mapping[int, int], values: Mapping[int, Value]) -> dict[int, int]:
    """Literal place -> the whole number that its stop's value is now; places without one left out."""
    numbers = {place: number_of(values.get(index)) for place, index in partners.items()}
    return {place: int(number) for place, number in numbers.items() if number is not None}
