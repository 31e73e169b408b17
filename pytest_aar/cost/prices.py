"""Prices of models: a small JSON table in the package, replaced by the user's `--aar-prices FILE`.

A model that no entry names has no price: its cost is unknown, which is not 0.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import Any

from pytest_aar.errors import ConfigurationError
from pytest_aar.trace import ModelCall

_MILLION = 1_000_000
_DIGITS = 9  # what is below is the noise of binary fractions
_RATES = ("input", "cached_input", "cache_write", "output")
_FIELDS = ("models", *_RATES, "long")
#: What a user's file looks like.
FORM = (
    '{"prices": [{"models": ["NAME or PATTERN*"], "input": 2.0, "cached_input": 0.2, "output": 10.0}]} '
    "in US dollars per million tokens"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars per million tokens. Prompts of more than `long_over` tokens are priced by `long`."""

    input: float
    cached_input: float
    cache_write: float
    output: float
    long: "Price | None" = None
    long_over: int = 0

    def of(self, call: ModelCall) -> float | None:
        """What the call costs; None when its input or output tokens are unknown."""
        if call.input_tokens is None or call.output_tokens is None:
            return None
        if self.long is not None and call.input_tokens > self.long_over:
            return self.long.of(call)
        # What a reply does not call cached was not cached, as far as the bill goes.
        cached, written = call.cached_tokens or 0, call.cache_write_tokens or 0
        plain = max(call.input_tokens - cached - written, 0)
        parts = (
            plain * self.input,
            cached * self.cached_input,
            written * self.cache_write,
            call.output_tokens * self.output,
        )
        return round(sum(parts) / _MILLION, _DIGITS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """The table: patterns of model names and their prices, the first that fits counts."""

    entries: tuple[tuple[tuple[str, ...], Price], ...] = ()

    def of(self, model: str) -> Price | None:
        """The price of a model by its name, else by what follows the last slash (`openai/...`)."""
        for name in (model, model.rpartition("/")[2]):
            for patterns, price in self.entries:
                if any(fnmatchcase(name, pattern) for pattern in patterns):
                    return price
        return None

    def cost_of(self, call: ModelCall) -> float | None:
        """US dollars for one call; None when the model's price or a count is unknown."""
        price = self.of(call.model)
        return None if price is None else price.of(call)


def read_prices(path: Path | None = None) -> Prices:
    """The table in the file, or the package's own.

    Raises:
        ConfigurationError: not a table of prices; says which entry and field, and the form.
    """
    source = files("pytest_aar.cost") / "prices.json" if path is None else path
    try:
        table = json.loads(source.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise _wrong(source, str(error)) from error
    entries = table.get("prices") if isinstance(table, dict) else None
    if not isinstance(entries, list) or not entries:
        raise _wrong(source, "it has no list `prices`")
    return Prices(
        entries=tuple(_entry(each, number, source) for number, each in enumerate(entries, 1))
    )


def _entry(entry: Any, number: int, source: Any) -> tuple[tuple[str, ...], Price]:
    where = f"entry {number}"
    if not isinstance(entry, dict):
        raise _wrong(source, f"{where} is no object")
    names = entry.get("models")
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise _wrong(source, f"{where}: `models` is no list of names")
    try:
        return tuple(names), _price(entry, _FIELDS)
    except ValueError as error:
        raise _wrong(source, f"{where} ({names[0]}): {error}") from error


def _price(fields: Mapping[str, Any], known: tuple[str, ...]) -> Price:
    unknown = sorted(set(fields) - set(known))
    if unknown:
        raise ValueError(f"unknown field {unknown[0]!r}, valid: {', '.join(known)}")
    plain = _rate(fields, "input", None)
    long = fields.get("long")
    if long is not None and not isinstance(long, dict):
        raise ValueError("`long` is no object")
    return Price(
        input=plain,
        cached_input=_rate(fields, "cached_input", plain),
        cache_write=_rate(fields, "cache_write", plain),
        output=_rate(fields, "output", None),
        long=None if long is None else _price(long, ("over", *_RATES)),
        long_over=0 if long is None else int(_rate(long, "over", None)),
    )


def _rate(fields: Mapping[str, Any], name: str, default: float | None) -> float:
    value = fields.get(name, default)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not isfinite(value) or value < 0:
        raise ValueError(f"`{name}` is {value!r}, not a number from 0")
    return float(value)


def _wrong(source: Any, problem: str) -> ConfigurationError:
    return ConfigurationError(
        f"--aar-prices: {source} is no table of prices: {problem}; its form: {FORM}"
    )
