"""What holds for many races is told in full once a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_aar.errors import CassetteMissing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pytest


class ToldOnce:
    """What to do about a missing cassette, at the first of them; of the others which that was, and their places."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}

    def shorten(self, report: pytest.TestReport, races: Iterable[Mapping[str, Any]]) -> None:
        """Leave what was told already out of a failure's text, as pytest prints it at the run's end."""
        if not isinstance(report.longrepr, str) or not any(map(_lacks_cassette, races)):
            return
        from pytest_aar.cassettes.faults import advice_and_place  # noqa: PLC0415 - only where one is missing

        advice, place = advice_and_place(report.longrepr)
        if place and advice in self._first:
            report.longrepr = f"no cassette: see the error of {self._first[advice]}.{place}"
        self._first.setdefault(advice, report.head_line or report.nodeid)


def _lacks_cassette(race: Mapping[str, Any]) -> bool:
    return bool(race["error"] == CassetteMissing.__name__)
