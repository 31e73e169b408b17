"""What a transform is, and how a value is handed to it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Transform:
    """One transform: `function` takes what `takes` says, `fits` is its domain test.

    `body` is Python that leaves the answer in `result`, with the input in `n` or `text`.
    """

    name: str
    takes: Literal["number", "text"]
    function: Callable[[Any], int]
    fits: Callable[[Any], bool]
    body: str

    def domain(self, value: object) -> bool:
        """Whether `value` makes a fair question: readable, and within the transform's range."""
        try:
            return self.fits(self.argument(value))
        except ValueError:
            return False

    def argument(self, value: object) -> int | str:
        """The value as this transform takes it: a text as it is, a number cut, without its sign.

        Raises ValueError when the value is not of that kind.
        """
        return _text(value) if self.takes == "text" else whole_number(value)

    def code(self, value: object) -> str:
        """Python source that computes this transform of `value` and prints it."""
        variable = "text" if self.takes == "text" else "n"
        return f"{variable} = {self.argument(value)!r}\n{self.body}\nprint(result)"


def whole_number(value: object) -> int:
    """A value's whole part without its sign: 12.9 and "-12.9" give 12, "524,930" gives 524930.

    Raises ValueError for anything that is not a finite number.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"{value!r} is not a number")  # noqa: TRY004 - data, not a caller's slip
    if isinstance(value, int):
        return abs(value)
    number = float(value.replace(",", "")) if isinstance(value, str) else value
    if not math.isfinite(number):
        raise ValueError(f"{value!r} is not a finite number")
    return abs(int(number))


def _text(value: object) -> str:
    if isinstance(value, dict | list):
        raise ValueError(f"{value!r} is not a text")  # noqa: TRY004 - data, not a caller's slip
    text = str(value)
    if not text:
        raise ValueError("the text is empty")
    return text
