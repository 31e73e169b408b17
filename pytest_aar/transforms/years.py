"""Transforms of years: the calendar's."""

import calendar
from datetime import date

from .record import Transform

#: Numbers between them, both included, are read as years of the Gregorian calendar.
FIRST_YEAR, LAST_YEAR = 1583, 2100


def _day_of_week(year: int) -> int:
    return date(year, 1, 1).isoweekday()


def _leap_years_to_2000(year: int) -> int:
    first, last = sorted((year, 2000))
    return calendar.leapdays(first, last + 1)


def _year_fits(n: int) -> bool:
    return FIRST_YEAR <= n <= LAST_YEAR


#: In the order of `TRANSFORMS`.
YEARS = (
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
)
