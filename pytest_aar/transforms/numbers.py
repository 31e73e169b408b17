"""Transforms of whole numbers: their primes, their digits, the ways to write them."""

import math
from collections import Counter

from .record import Transform

# Trial division takes at most a million steps below this.
_LARGEST = 10**12
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


def _digits_fit(n: int) -> bool:
    return _TWO_DIGITS <= n <= _LARGEST


def _roman_fits(n: int) -> bool:
    return 1 <= n <= _LARGEST_ROMAN


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

#: In the order of `TRANSFORMS`.
NUMBERS = (
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
)
