"""Findings as a table that fits the terminal."""

import textwrap
from collections.abc import Sequence
from itertools import groupby

from .check import Check

_GAPS = 4  # two spaces between three columns
_LEAST_TEXT = 30
_INDENT = "  "


def table(checks: Sequence[Check], *, width: int) -> str:
    """Three columns: what, its state, and what was found with what to do; no line longer than `width`."""
    from tabulate import tabulate  # noqa: PLC0415 - not for --json

    name = max(len(check.name) for check in checks) + len(_INDENT)
    state = max(len(check.state) for check in checks)
    text = max(_LEAST_TEXT, width - name - state - _GAPS)
    rows: list[tuple[str, str, str]] = []
    for area, group in groupby(checks, key=lambda check: check.area):
        rows.append((area.upper(), "", ""))
        rows += [(f"{_INDENT}{check.name}", check.state, _text(check, text)) for check in group]
    headers = ("check", "state", "found: what to do")
    return tabulate(rows, headers=headers, disable_numparse=True, preserve_whitespace=True)


def _text(check: Check, width: int) -> str:
    """What was found, and what to do; addresses are not broken at their hyphens."""
    parts = (check.found, f"-> {check.advice}") if check.advice else (check.found,)
    return "\n".join(
        line for part in parts for line in textwrap.wrap(part, width, break_on_hyphens=False)
    )
