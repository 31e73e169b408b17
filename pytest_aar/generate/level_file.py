"""Levels of one's own, from a TOML file: a table `[level.NAME]` for each."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_aar.errors import ConfigurationError

from .levels import LEVELS, Level

_RANGES = ("stops", "roadblocks", "detours", "diamonds")
_NUMBERS = ("crawl_depth", "crawl_pages")
_EXTRACTIONS = ("prose", "cross_section")
_FIELDS = (*_RANGES, *_NUMBERS, "extraction")
_PAIR = 2
_EXAMPLE = "stops = [5, 8]"


def levels_in(path: Path) -> Mapping[str, Level]:
    """The levels of a file by name, beside the four that there are; one of their names replaces it.

    Raises:
        ConfigurationError: the file can't be read, or a level lacks a field or has a wrong one.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8")).get("level", {})
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"--levels {path}: {error}; give a TOML file") from error
    if not isinstance(tables, dict) or not tables:
        raise ConfigurationError(
            f"--levels {path}: no table [level.NAME] there; give one with {', '.join(_FIELDS)}"
        )
    return {**LEVELS, **{name: _level(path, name, table) for name, table in tables.items()}}


def ranges_of(level: Level) -> str:
    """A level's ranges in one line: what tells it from another of its name."""
    ranges = (f"{name} {'-'.join(map(str, getattr(level, name)))}" for name in _RANGES)
    return f"{', '.join(ranges)}, crawl {level.crawl_depth}, {level.extraction}"


def _level(path: Path, name: str, table: Any) -> Level:
    where = f"--levels {path}, [level.{name}]"
    if not name.replace("-", "").replace("_", "").isalnum():
        raise ConfigurationError(f"{where}: a level's name is letters, digits, - and _ only")
    if not isinstance(table, dict):
        raise ConfigurationError(
            f"{where}: found {table!r}; a level is a table with {', '.join(_FIELDS)}"
        )
    unknown = [field for field in table if field not in _FIELDS]
    if unknown:
        raise ConfigurationError(f"{where}: unknown {unknown[0]}; valid: {', '.join(_FIELDS)}")
    missing = [field for field in (*_RANGES, "crawl_depth") if field not in table]
    if missing:
        raise ConfigurationError(f"{where}: {missing[0]} is missing; a level needs it")
    extraction = table.get("extraction", _EXTRACTIONS[1])
    if extraction not in _EXTRACTIONS:
        raise ConfigurationError(
            f"{where}: extraction is {extraction!r}; valid: {', '.join(_EXTRACTIONS)}"
        )
    ranges = {field: _range(where, field, table[field]) for field in _RANGES}
    numbers = {f: _number(where, f, table[f]) for f in _NUMBERS if f in table}
    return Level(name=name, extraction=extraction, **ranges, **numbers)  # type: ignore[arg-type]  # as checked


def _range(where: str, field: str, value: Any) -> tuple[int, int]:
    fits = isinstance(value, list) and len(value) == _PAIR and all(map(_is_count, value))
    if not fits or value[0] > value[1]:
        raise ConfigurationError(
            f"{where}: {field} is {value!r}; give the lowest and highest number, such as {_EXAMPLE}"
        )
    return value[0], value[1]


def _number(where: str, field: str, value: Any) -> int:
    if not _is_count(value) or value < 1:
        raise ConfigurationError(f"{where}: {field} is {value!r}; give a whole number from 1 on")
    return int(value)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
