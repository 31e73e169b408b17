"""Pytest's ini file, found and read as pytest does it, where an empty one may count; and what it says of us."""

import configparser
import tomllib
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

_Options = Mapping[str, Any]

#: The first pytest that reads TOML files of its own, and options in their own types.
_WITH_TOML = 9
#: Files in whose folder the search ends, whatever is in them.
_TOMLS_OWN = ("pytest.toml", ".pytest.toml")
_INIS_OWN = ("pytest.ini", ".pytest.ini")
_FILES = (*_TOMLS_OWN, *_INIS_OWN, "pyproject.toml", "tox.ini", "setup.cfg")


def pytest_options(folder: Path, major: int | None = None) -> tuple[Path, _Options]:
    """Where the file is that a run in this folder would read, and its options; `folder` and none without one.

    `major` is pytest's version, by default that of the one installed here. A file that can't be read, with which
    pytest would end, counts as none.
    """
    major = _installed() if major is None else major
    for each in (folder, *folder.parents):
        for name in _FILES:
            options = _options(each / name, has_toml=major >= _WITH_TOML)
            if options is not None:
                return each, options
    return folder, {}


def contact_in_ini(folder: Path) -> str | None:
    """`aar_contact` of the file that a run of pytest in this folder would read; None where it is not set."""
    return str(pytest_options(folder)[1].get("aar_contact") or "").strip() or None


def folder_in_ini(folder: Path, name: str) -> Path | None:
    """The folder that an option of that file names, such as `aar_legs`: seen from `folder` if it is below it."""
    where, options = pytest_options(folder)
    text = str(options.get(name) or "").strip()
    if not text:
        return None
    found = where / Path(text).expanduser()
    return found.relative_to(folder) if found.is_relative_to(folder) else found


def services_in_ini(folder: Path) -> tuple[str, ...]:
    """`aar_services` of that file, each as `service=URL`."""
    given = pytest_options(folder)[1].get("aar_services") or ""
    lines = given if isinstance(given, list) else str(given).splitlines()
    return tuple(text for line in lines if (text := str(line).strip()))


def _installed() -> int:
    try:
        return int(version("pytest").partition(".")[0])
    except PackageNotFoundError:
        return _WITH_TOML


def _options(file: Path, *, has_toml: bool) -> _Options | None:
    """Pytest's options in a file, None where it is no ini file of pytest's."""
    if file.name in _TOMLS_OWN and not has_toml:
        return None
    try:
        text = file.read_text(encoding="utf-8")
        if file.suffix == ".toml":
            return _of_toml(file.name, tomllib.loads(text), has_toml=has_toml)
        return _of_ini(file.name, text, has_toml=has_toml)
    except (OSError, ValueError, configparser.Error):
        return None


def _of_toml(name: str, whole: _Options, *, has_toml: bool) -> _Options | None:
    if name in _TOMLS_OWN:
        return _table(whole, "pytest") or {}
    own = _table(_table(whole, "tool") or {}, "pytest") or {}
    typed = {option: value for option, value in own.items() if option != "ini_options"}
    return typed if typed and has_toml else _table(own, "ini_options")


def _table(whole: _Options, name: str) -> _Options | None:
    found = whole.get(name)
    return found if isinstance(found, dict) else None


def _of_ini(name: str, text: str, *, has_toml: bool) -> _Options | None:
    read = configparser.ConfigParser(interpolation=None, strict=False, allow_no_value=True)
    read.read_string(text)
    section = "tool:pytest" if name == "setup.cfg" else "pytest"
    if read.has_section(section):
        return read[section]
    last = _INIS_OWN if has_toml else _INIS_OWN[:1]  # one and the same version changed both
    return {} if name in last else None
