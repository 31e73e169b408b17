"""Python, pytest and the packages, against what pytest-aar asks for."""

import platform
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError

from packaging.requirements import Requirement

from .check import EVERYTHING, RACES, Check
from .probes import Probes

_AREA = "versions"
_PACKAGE = "pytest-aar"
#: The least that the package's own metadata say; `requires-python` can't be read of a running one.
_PYTHON = (3, 11)
_OURS = ("pytest", "pytest-xdist")


def python(probes: Probes) -> Check:
    """The interpreter."""
    fits = probes.python >= _PYTHON
    return Check(
        area=_AREA,
        name="python",
        state="ok" if fits else "broken",
        found=f"{platform.python_version()}, {sys.executable}",
        advice="" if fits else "use Python 3.11 or newer",
        needed_for=EVERYTHING,
    )


def plugin(probes: Probes, environment: Mapping[str, str]) -> Check:
    """Whether pytest will load the plugin."""
    found = [point for point in probes.entry_points("pytest11") if point.name == "aar"]
    is_off = bool(environment.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD"))
    told = f"{_PACKAGE} {_version(_PACKAGE, probes) or 'not installed'}"
    if is_off:
        told += ", PYTEST_DISABLE_PLUGIN_AUTOLOAD is set"
    fits = bool(found) and not is_off
    return Check(
        area=_AREA,
        name="plugin",
        state="ok" if fits else "broken" if found else "missing",
        found=told,
        advice=""
        if fits
        else "unset it, or call pytest -p aar"
        if is_off
        else f"pip install {_PACKAGE}",
        needed_for=RACES,
    )


def packages(probes: Probes) -> list[Check]:
    """Pytest and xdist by name, the others together."""
    wanted = [Requirement(text) for text in probes.requires(_PACKAGE) or ()]
    core = [each for each in wanted if each.marker is None or each.marker.evaluate({"extra": ""})]
    named = [_package(each, probes) for each in core if each.name in _OURS]
    others = [_package(each, probes) for each in core if each.name not in _OURS]
    wrong = [check for check in others if check.state != "ok"]
    told = f"{len(others)} installed, versions fit"
    return [*named, *(wrong or [_ok("other packages", told)])]


def _package(need: Requirement, probes: Probes) -> Check:
    there = _version(need.name, probes)
    if there is not None and need.specifier.contains(there, prereleases=True):
        return _ok(need.name, there)
    return Check(
        area=_AREA,
        name=need.name,
        state="missing" if there is None else "broken",
        found=f"{there or 'not installed'}, needed: {need.specifier or 'any version'}",
        advice=f"pip install '{need.name}{need.specifier}'",
        needed_for=EVERYTHING,
    )


def _ok(name: str, found: str) -> Check:
    return Check(area=_AREA, name=name, state="ok", found=found, needed_for=EVERYTHING)


def _version(package: str, probes: Probes) -> str | None:
    try:
        return probes.version(package)
    except PackageNotFoundError:
        return None
