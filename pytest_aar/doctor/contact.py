"""Whether live services can be told whom to turn to, and where that was said."""

import configparser
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_aar.tools import Endpoints

from .check import LIVE, Check

#: Files that pytest reads, best first, each with the tables or sections that are pytest's.
_TOML = {
    "pytest.toml": ("pytest",),
    ".pytest.toml": ("pytest",),
    "pyproject.toml": ("tool.pytest.ini_options", "tool.pytest"),
}
_INI = {"pytest.ini": "pytest", ".pytest.ini": "pytest", "tox.ini": "pytest", "setup.cfg": "tool:pytest"}  # fmt: skip
_FILES = (
    *("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini"),
    *("pyproject.toml", "tox.ini", "setup.cfg"),
)


def contact(given: str | None, endpoints: Endpoints) -> Check:
    """The address that Wikimedia is given."""
    is_ours = "wikipedia" in endpoints.own
    if given:
        return Check(
            area="services", name="contact", state="set", found=given, told_for=(LIVE,),
        )  # fmt: skip
    found = "none" if not is_ours else "none; Wikipedia is asked at an address of yours"
    advice = (
        "set aar_contact in pytest's ini file (here: --contact) to a mail address or URL of yours: Wikimedia then"
        " takes 200 requests a minute, without it 10"
    )
    return Check(
        area="services",
        name="contact",
        state="off" if is_ours else "missing",
        found=found,
        advice="" if is_ours else advice,
        told_for=(LIVE,),
    )


def contact_in_ini(folder: Path) -> str | None:
    """`aar_contact` of the file that a run of pytest in this folder would read; None where it is not set."""
    return str(_of_pytest(folder)[1].get("aar_contact") or "").strip() or None


def folder_in_ini(folder: Path, name: str) -> Path | None:
    """The folder that an option of that file names, such as `aar_legs`: seen from `folder` if it is below it."""
    where, options = _of_pytest(folder)
    text = str(options.get(name) or "").strip()
    if not text:
        return None
    found = where / Path(text).expanduser()
    return found.relative_to(folder) if found.is_relative_to(folder) else found


def services_in_ini(folder: Path) -> tuple[str, ...]:
    """`aar_services` of that file, each as `service=URL`."""
    given = _of_pytest(folder)[1].get("aar_services") or ""
    lines = given if isinstance(given, list) else str(given).splitlines()
    return tuple(text for line in lines if (text := str(line).strip()))


def _of_pytest(folder: Path) -> tuple[Path, Mapping[str, Any]]:
    """Where the file is, and what it says."""
    for each in (folder, *folder.parents):
        for name in _FILES:
            options = next(_options(each / name), None)
            if options is not None:
                return each, options
    return folder, {}


def _options(file: Path) -> Iterator[Mapping[str, Any]]:
    """Pytest's options in a file; nothing where it has none or can't be read."""
    try:
        text = file.read_text(encoding="utf-8")
        yield from (
            _of_toml(text, _TOML[file.name])
            if file.name in _TOML
            else _of_ini(text, _INI[file.name])
        )
    except (OSError, ValueError, configparser.Error):
        return


def _of_toml(text: str, tables: tuple[str, ...]) -> Iterator[Mapping[str, Any]]:
    whole = tomllib.loads(text)
    for table in tables:
        found: Any = whole
        for part in table.split("."):
            found = found.get(part) if isinstance(found, dict) else None
        if isinstance(found, dict):
            yield found


def _of_ini(text: str, section: str) -> Iterator[Mapping[str, Any]]:
    read = configparser.ConfigParser(interpolation=None, strict=False, allow_no_value=True)
    read.read_string(text)
    if read.has_section(section):
        yield read[section]
