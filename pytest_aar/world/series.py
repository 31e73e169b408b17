"""Invented prices and volumes: smooth noise at several scales, any day at once."""

from dataclasses import dataclass
from datetime import date, timedelta
from math import exp

from pytest_aar.world.seeded import between, smooth, unit

#: Days between the knots of the noise, and how far it moves the logarithm of the price.
_SCALES = ((700.0, 0.55), (170.0, 0.25), (45.0, 0.11), (9.0, 0.035))
_DAILY = 0.011
_EPOCH = date(2000, 1, 1).toordinal()
_SATURDAY = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A day's prices and volume."""

    opening: float
    high: float
    low: float
    close: float
    volume: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One instrument: `price` and `volume` are typical; `wild` scales the moves."""

    symbol: str
    price: float
    volume: float
    wild: float = 1.0
    growth: float = 0.06

    def _close(self, ordinal: int) -> float:
        moves = sum(size * smooth(ordinal / days, self.symbol, days) for days, size in _SCALES)
        noise = _DAILY * (2 * unit("day", self.symbol, ordinal) - 1)
        trend = self.growth * (ordinal - _EPOCH) / 365.25
        return self.price * exp(trend + self.wild * (moves + noise))

    def bar(self, day: date, *, digits: int = 2) -> Bar:
        """The day's bar."""
        ordinal = day.toordinal()
        close = self._close(ordinal)
        opening = self._close(ordinal - 1) * (
            1 + between(-0.004, 0.004, "open", *self._key(ordinal))
        )
        high = max(opening, close) * (1 + between(0.0, 0.014, "high", *self._key(ordinal)))
        low = min(opening, close) * (1 - between(0.0, 0.014, "low", *self._key(ordinal)))
        spread = 0.5 * smooth(ordinal / 20, "volume", self.symbol)
        volume = self.volume * exp(spread + between(-0.35, 0.35, "traded", *self._key(ordinal)))
        return Bar(
            opening=round(opening, digits),
            high=round(high, digits),
            low=round(low, digits),
            close=round(close, digits),
            volume=volume,
        )

    def _key(self, ordinal: int) -> tuple[str, int]:
        return self.symbol, ordinal


def is_trading_day(day: date) -> bool:
    """Whether the sandbox's stock exchange is open: weekdays without the usual US holidays."""
    return day.weekday() < _SATURDAY and not _is_holiday(day)


def _is_holiday(day: date) -> bool:
    if (day.month, day.day) in {(1, 1), (6, 19), (7, 4), (12, 25)}:
        return True
    week = (day.day - 1) // 7 + 1
    fixed = (day.month, day.weekday(), week)
    last_monday = day.weekday() == 0 and (day + timedelta(days=7)).month != day.month
    named = {(1, 0, 3), (2, 0, 3), (9, 0, 1), (11, 3, 4)}
    return fixed in named or (day.month == 5 and last_monday)  # noqa: PLR2004 - Memorial Day
