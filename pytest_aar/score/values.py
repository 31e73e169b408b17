"""Which golden values a race saw in its tool results."""

import re
from collections.abc import Iterable

from pytest_aar.leg import Leg, Value
from pytest_aar.readings import fold, number_of
from pytest_aar.trace import Trace

# A number with nothing of a word or another number around it: "3" is not in "1932", nor in "x3".
_NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?![\w])")
#: Services and JSON differ in the last digits of a number.
_SIGNIFICANT = 6


def values_seen(leg: Leg, trace: Trace) -> tuple[int, int]:
    """(golden values seen, golden values) over all stops before the finish line.

    Numbers are compared as numbers, texts as folded texts within the results.
    """
    texts = [call.text for call in trace.tool_calls if call.ok]
    numbers = _numbers(texts)
    folded = [fold(text) for text in texts] if _needs_text(leg) else []
    values = [stop.value for stop in leg.stops[:-1]]
    return sum(_seen(value, numbers, folded) for value in values), len(values)


def _needs_text(leg: Leg) -> bool:
    return any(isinstance(stop.value, str) and number_of(stop.value) is None for stop in leg.stops)


def _seen(value: Value, numbers: frozenset[str], texts: Iterable[str]) -> bool:
    number = number_of(value)
    if number is not None:
        return _rounded(number) in numbers
    if isinstance(value, str):
        wanted = fold(value)
        return any(wanted in text for text in texts)
    return False


def _numbers(texts: Iterable[str]) -> frozenset[str]:
    tokens: set[str] = set()
    for text in texts:
        tokens.update(_NUMBER.findall(text))
    return frozenset(_rounded(float(token.replace(",", ""))) for token in tokens)


def _rounded(number: float) -> str:
    return f"{number:.{_SIGNIFICANT}g}"
