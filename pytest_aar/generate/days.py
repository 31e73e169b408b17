"""Days for questions: drawn by chance, or read from a fact."""

import random
from datetime import date, timedelta


def some_day(chance: random.Random, first: int = 2015, last: int = 2024) -> date:
    """A seeded day of those years."""
    start = date(first, 1, 1)
    return start + timedelta(days=chance.randrange((date(last, 12, 31) - start).days))


def winter_day(chance: random.Random) -> date:
    """A day of January, or of July for the southern half of the world."""
    return some_day(chance).replace(month=chance.choice((1, 7)), day=chance.randint(1, 31))


def some_weekday(chance: random.Random) -> date:
    """A seeded Monday to Friday: stock exchanges rest on the others."""
    day = some_day(chance)
    return day - timedelta(days=max(0, day.isoweekday() - 5))


def as_day(text: str) -> date | None:
    """An ISO date as a date, None for any other text."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
