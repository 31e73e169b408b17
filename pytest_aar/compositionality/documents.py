"""Files to what they hold: JSON, or one JSON value a line."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from pytest_aar.errors import ConfigurationError
from pytest_aar.leg_file import is_hidden

_LARGEST_BYTES = 512 * 1024 * 1024
_SUFFIXES = (".json", ".jsonl")


def files_below(paths: Iterable[Path], suffixes: Sequence[str] = _SUFFIXES) -> list[Path]:
    """The named files, and those below folders with one of the suffixes, each once.

    Hidden ones are left out, and what is in hidden folders.
    """
    found = dict.fromkeys(file for path in paths for file in _files(path, suffixes))
    return list(found)


def document(file: Path, text: str) -> object:
    """The value in a JSON file's text; of a file with one value a line, the list of them.

    Raises ConfigurationError, which names the file and the line.
    """
    if not text.strip():
        raise ConfigurationError(f"{file}: the file is empty; a benchmark's data are JSON")
    try:
        return _value(file, text)
    except (ValueError, RecursionError) as error:  # no syntax: a number of thousands of digits
        what = "nested too deeply" if isinstance(error, RecursionError) else "a number is too long"
        raise ConfigurationError(
            f"{file}: {what} to be a benchmark's data; name another file"
        ) from error


def text_of(file: Path) -> str:
    """The file's text.

    Raises ConfigurationError for what can't be read or is no text.
    """
    try:
        if file.stat().st_size > _LARGEST_BYTES:
            raise ConfigurationError(
                f"{file}: more than {_LARGEST_BYTES // 1024**2} MB; split it, and name the parts"
            )
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigurationError(
            f"{file}: can't be read: {error.strerror or error}; name another file"
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(
            f"{file}: not UTF-8 at byte {error.start}; a benchmark's data are JSON (a Parquet file "
            "must be written out as JSON lines first)"
        ) from error


def _files(path: Path, suffixes: Sequence[str]) -> list[Path]:
    if not path.is_dir():
        return [path]
    return sorted(
        file
        for file in path.rglob("*")
        if file.suffix in suffixes and file.is_file() and not is_hidden(file.relative_to(path))
    )


def _value(file: Path, text: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        if not _is_by_lines(text):
            raise _not_json(file, error, error.lineno) from error
        return _by_lines(file, text)


def _is_by_lines(text: str) -> bool:
    """Whether the first line that is not empty is a whole JSON value."""
    first = text.lstrip().partition("\n")[0]
    try:
        json.loads(first)
    except json.JSONDecodeError:
        return False
    return True


def _by_lines(file: Path, text: str) -> list[object]:
    values = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            values.append(json.loads(line))
        except json.JSONDecodeError as error:
            raise _not_json(file, error, number) from error
    return values


def _not_json(file: Path, error: json.JSONDecodeError, line: int) -> ConfigurationError:
    return ConfigurationError(
        f"{file}, line {line}, column {error.colno}: not JSON: {error.msg}; mend the file, or name "
        "only the files that are whole"
    )
