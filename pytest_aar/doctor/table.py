"""Findings as a table that fits the terminal."""

from collections.abc import Sequence
from itertools import groupby

from .check import Check

_GAPS = 4  # two spaces between three columns
_LEAST_TEXT = 30


def table(checks: Sequence[Check], *, width: int) -> str:
    """Three columns: what, its state, and what was found with what to do; no line longer than `width`."""
    from tabulate import tabulate  # noqa: PLC0415 - not for --json

    rows: list[tuple[str, str, str]] = []
    for area, group in groupby(checks, key=lambda check: check.area):
        rows.append((area.upper(), "", ""))
        rows += [(f"  {check.name}", check.state, _text(check)) for check in group]
    name = max(len(row[0]) for row in rows)
    state = max(len(row[1]) for row in rows)
    text = max(_LEAST_TEXT, width - name - state - _GAPS)
    return tabulate(
        rows,
        headers=("check", "state", "found: what to do"),
        maxcolwidths=[None, None, text],
        disable_numparse=True,
        preserve_whitespace=True,
    )


def _text(check: Check) -> str:
    return f"{check.found}\n-> {check.advice}" if check.advice else check.found
