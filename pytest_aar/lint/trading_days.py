"""Days without stock trading: the sandbox's own calendar, and the New York Stock Exchange's."""

from datetime import date, timedelta

from pytest_aar.world.series import is_trading_day

_SATURDAY, _SUNDAY, _JANUARY = 5, 6, 1
#: (month, day or None for any of the month) -> the first year in which that holiday was kept.
_KEPT_SINCE = {(6, 19): 2022, (_JANUARY, None): 1998}
_FIXED = ((6, 19), (7, 4), (12, 25))


def closed(day: date, *, sandbox: bool) -> bool:
    """Whether stocks were not traded on a day; single closures (a storm, a funeral) are not known."""
    if sandbox or day.weekday() >= _SATURDAY:
        return not is_trading_day(day)
    return (not is_trading_day(day) and _was_kept(day)) or _observed(day) or _good_friday(day)


def _was_kept(day: date) -> bool:
    """Juneteenth since 2022, the third Monday of January since 1998; New Year's Day always."""
    if (day.month, day.day) == (_JANUARY, 1):
        return True
    since = _KEPT_SINCE.get((day.month, day.day)) or _KEPT_SINCE.get((day.month, None), 0)
    return day.year >= since


def _observed(day: date) -> bool:
    """A holiday on a Saturday is kept on Friday, one on a Sunday on Monday; 1 January on Monday only."""
    friday, monday = day + timedelta(days=1), day - timedelta(days=1)
    on_saturday = friday.weekday() == _SATURDAY and (friday.month, friday.day) in _FIXED
    on_sunday = monday.weekday() == _SUNDAY and (monday.month, monday.day) in (
        *_FIXED,
        (_JANUARY, 1),
    )
    return (on_saturday and _was_kept(friday)) or (on_sunday and _was_kept(monday))


def _good_friday(day: date) -> bool:
    return day + timedelta(days=2) == _easter(day.year)


def _easter(year: int) -> date:
    """Easter Sunday by Gauss's rule, in the Gregorian form with its two exceptions."""
    century = year // 100
    moon = (15 + century - century // 4 - (13 + 8 * century) // 25) % 30
    full = (19 * (year % 19) + moon) % 30
    if full == 29 or (full == 28 and year % 19 > 10):  # noqa: PLR2004 - Gauss's exceptions
        full -= 1
    sunday = (4 + century - century // 4) % 7
    return date(year, 3, 22) + timedelta(
        days=full + (2 * (year % 4) + 4 * (year % 7) + 6 * full + sunday) % 7
    )
