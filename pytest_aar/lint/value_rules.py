"""Rules of single stops' values, those of `aar validity` among them: there only where the digit needs them."""

from collections.abc import Callable, Iterator
from datetime import date

from pytest_aar.leg import Leg, PitStop, Roadblock
from pytest_aar.leg.validity import stop_fault

from .finding import Fault
from .trading_days import closed


def _by_validity(name: str, field: str) -> Callable[[Leg], Iterator[Fault]]:
    """The rule that finds one fault of `leg.validity`, at every stop."""

    def check(leg: Leg) -> Iterator[Fault]:
        for stop in leg.stops:
            reason = stop_fault(leg, stop, name)
            if reason is not None:
                yield Fault(stop=stop.index, field=field, what=reason.what)

    return check


not_a_year = _by_validity("not_a_year", "value")
no_place = _by_validity("no_place", "chain")
other_country = _by_validity("other_country", "value")
no_value = _by_validity("no_value", "value")


def no_trading_day(leg: Leg) -> Iterator[Fault]:
    """A stock is asked for on a day without trading."""
    for stop in leg.roadblocks:
        for day in _stock_days(stop):
            if closed(day, sandbox=leg.is_sandbox):
                what = f"stocks were not traded on {day:%A}, {day}"
                yield Fault(stop=stop.index, field="chain", what=what)


def _stock_days(stop: PitStop) -> Iterator[date]:
    assert isinstance(stop, Roadblock)
    for step in stop.chain:
        if step.tool.startswith("stock_"):
            try:
                yield date.fromisoformat(str(step.arguments.get("date")))
            except ValueError:
                continue
