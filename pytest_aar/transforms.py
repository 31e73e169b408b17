"""The 14 detour transforms: an earlier stop's value in, a whole number out.

Thirteen occur in the published data; `scrabble_score` is this project's addition. A transform's
*domain* says for which values it makes a fair question (a digit sum of 7 is no puzzle): generation
keeps to it. `apply` computes outside the domain too, because published legs leave it.
"""

import calendar
import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Any, Literal

# Trial division takes at most a million steps below this.
_LARGEST = 10**12
_FIRST_GREGORIAN, _LAST_YEAR = 1583, 2100
_LARGEST_ROMAN = 3999
_TWO_DIGITS = 10

_ROMAN = (
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
)
_SCRABBLE = {
    letter: points
    for points, letters in (
        (1, "aeilnorstu"),
        (2, "dg"),
        (3, "bcmp"),
        (4, "fhvwy"),
        (5, "k"),
        (8, "jx"),
        (10, "qz"),
    )
    for letter in letters
}


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


def apply(name: str, value: object) -> int:
    """The transform `name` of `value`.

    Raises ValueError for an unknown name, or a value that the transform can't take.
    """
    if name not in TRANSFORMS:
        raise ValueError(f"unknown transform {name!r}; there are: {', '.join(TRANSFORMS)}")
    transform = TRANSFORMS[name]
    return transform.function(transform.argument(value))


def _text(value: object) -> str:
    if isinstance(value, dict | list):
        raise ValueError(f"{value!r} is not a text")  # noqa: TRY004 - data, not a caller's slip
    text = str(value)
    if not text:
        raise ValueError("the text is empty")
    return text


def _prime_factors(n: int) -> Counter[int]:
    factors: Counter[int] = Counter()
    divisor = 2
    while divisor * divisor <= n:
        while n % divisor == 0:
            factors[divisor] += 1
            n //= divisor
        divisor += 1
    if n > 1:
        factors[n] += 1
    return factors


def _next_prime(n: int) -> int:
    candidate = max(n + 1, 2)
    while any(candidate % d == 0 for d in range(2, math.isqrt(candidate) + 1)):
        candidate += 1
    return candidate


def _num_divisors(n: int) -> int:
    return math.prod(power + 1 for power in _prime_factors(n).values()) if n else 0


def _largest_prime_factor(n: int) -> int:
    return max(_prime_factors(n), default=n)


def _sum_prime_factors(n: int) -> int:
    return sum(_prime_factors(n))


def _roman_letters(n: int) -> int:
    count = 0
    for value, letters in _ROMAN:
        count += n // value * len(letters)
        n %= value
    return count


def _digital_root(n: int) -> int:
    return 1 + (n - 1) % 9 if n else 0


def _day_of_week(year: int) -> int:
    return date(year, 1, 1).isoweekday()


def _leap_years_to_2000(year: int) -> int:
    first, last = sorted((year, 2000))
    return calendar.leapdays(first, last + 1)


def _first_letter(text: str) -> int:
    first = text[0].upper()
    return ord(first) - ord("A") + 1 if first.isalpha() else 0


def _digits_fit(n: int) -> bool:
    return _TWO_DIGITS <= n <= _LARGEST


def _year_fits(n: int) -> bool:
    return _FIRST_GREGORIAN <= n <= _LAST_YEAR


def _roman_fits(n: int) -> bool:
    return 1 <= n <= _LARGEST_ROMAN


def _word_fits(text: str) -> bool:
    return text[0].isascii() and text[0].isalpha() and text.isascii()


_FACTORS = """\
factors, rest, d = [], n, 2
while d * d <= rest:
    while rest % d == 0:
        factors.append(d)
        rest //= d
    d += 1
if rest > 1:
    factors.append(rest)
"""

_ALL = (
    Transform(
        name="next_prime",
        takes="number",
        function=_next_prime,
        fits=_digits_fit,
        body="""\
result = max(n + 1, 2)
while any(result % d == 0 for d in range(2, int(result ** 0.5) + 1)):
    result += 1""",
    ),
    Transform(
        name="num_divisors",
        takes="number",
        function=_num_divisors,
        fits=_digits_fit,
        body=_FACTORS
        + """\
result = 1 if n else 0
for prime in set(factors):
    result *= factors.count(prime) + 1""",
    ),
    Transform(
        name="sum_prime_factors",
        takes="number",
        function=_sum_prime_factors,
        fits=_digits_fit,
        body=_FACTORS + "result = sum(set(factors))",
    ),
    Transform(
        name="largest_prime_factor",
        takes="number",
        function=_largest_prime_factor,
        fits=_digits_fit,
        body=_FACTORS + "result = max(factors, default=n)",
    ),
    Transform(
        name="roman_numeral_letter_count",
        takes="number",
        function=_roman_letters,
        fits=_roman_fits,
        body=f"""\
result, rest = 0, n
for value, letters in {_ROMAN!r}:
    result += rest // value * len(letters)
    rest %= value""",
    ),
    Transform(
        name="binary_1bit_count",
        takes="number",
        function=int.bit_count,
        fits=_digits_fit,
        body='result = bin(n).count("1")',
    ),
    Transform(
        name="digit_reversal",
        takes="number",
        function=lambda n: int(str(n)[::-1]),
        fits=_digits_fit,
        body="result = int(str(n)[::-1])",
    ),
    Transform(
        name="digital_root",
        takes="number",
        function=_digital_root,
        fits=_digits_fit,
        body="result = 1 + (n - 1) % 9 if n else 0",
    ),
    Transform(
        name="digit_sum",
        takes="number",
        function=lambda n: sum(map(int, str(n))),
        fits=_digits_fit,
        body="result = sum(map(int, str(n)))",
    ),
    Transform(
        name="day_of_week",
        takes="number",
        function=_day_of_week,
        fits=_year_fits,
        body="from datetime import date\nresult = date(n, 1, 1).isoweekday()",
    ),
    Transform(
        name="leap_years_to_2000",
        takes="number",
        function=_leap_years_to_2000,
        fits=_year_fits,
        body="""\
import calendar
first, last = sorted((n, 2000))
result = sum(calendar.isleap(year) for year in range(first, last + 1))""",
    ),
    Transform(
        name="vowel_count",
        takes="text",
        function=lambda text: sum(letter in "aeiou" for letter in text.lower()),
        fits=_word_fits,
        body='result = sum(letter in "aeiou" for letter in text.lower())',
    ),
    Transform(
        name="alpha_position_first_letter",
        takes="text",
        function=_first_letter,
        fits=_word_fits,
        body="""\
first = text[0].upper()
result = ord(first) - ord("A") + 1 if first.isalpha() else 0""",
    ),
    Transform(
        name="scrabble_score",
        takes="text",
        function=lambda text: sum(_SCRABBLE.get(letter, 0) for letter in text.lower()),
        fits=_word_fits,
        body=f"""\
points = {_SCRABBLE!r}
result = sum(points.get(letter, 0) for letter in text.lower())""",
    ),
)

#: Name -> transform, in a fixed order.
TRANSFORMS: Mapping[str, Transform] = MappingProxyType({each.name: each for each in _ALL})
