"""Agents and their versions, Node.js and npm, the extras."""

import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, entry_points, requires, version

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from pytest_aar.agents import AGENT_NAMES, mini_swe
from pytest_aar.agents.from_npm import FROM_NPM
from pytest_aar.agents.npm_program import NpmProgram
from pytest_aar.errors import AgentNotInstalled

from .check import Check

_AGENTS, _EXTRAS = "agents", "extras"
_SECONDS = 3.0


def agents() -> list[Callable[[], Check]]:
    """One check for each built-in agent."""
    return [partial(agent, name) for name in AGENT_NAMES]


def agent(name: str) -> Check:
    """Whether an agent is installed, in a version that races were run with."""
    if name in FROM_NPM:
        return npm_agent(FROM_NPM[name]())
    if name == "mini-swe":
        return mini_swe_agent()
    return Check(
        area=_AGENTS, name=name, state="ok", found="part of pytest-aar", needed_for=(name,)
    )


def npm_agent(program: NpmProgram) -> Check:
    """The native binary and its version."""
    install = f"aar install {program.agent}"
    of_it = partial(Check, area=_AGENTS, name=program.agent, needed_for=(program.agent,))
    try:
        there = program.version(None)
    except AgentNotInstalled as problem:
        is_there = shutil.which(program.command) is not None or program.installed() is not None
        found = str(problem) if is_there else "not installed"
        return of_it(state="broken" if is_there else "missing", found=found, advice=install)
    tested = (
        program.tested
        if program.oldest == program.newest
        else f"{program.oldest} to {program.newest}"
    )
    fits = program.warning(there) is None
    return of_it(
        state="ok" if fits else "broken",
        found=there if fits else f"{there}; races were run with {tested}",
        advice="" if fits else install,
    )


def mini_swe_agent() -> Check:
    """The package without its dependencies, and what it needs of them."""
    of_it = partial(Check, area=_AGENTS, name="mini-swe", needed_for=("mini-swe",))
    try:
        there = version(mini_swe.PACKAGE)
    except PackageNotFoundError:
        return of_it(state="missing", found="not installed", advice=mini_swe.INSTALL)
    lacking = [name for name in _extra("mini-swe") if not _is_installed(name)]
    if lacking:
        told = f"{there}, without {', '.join(lacking)}"
    elif there != mini_swe.TESTED_VERSION:
        told = f"{there}; races were run with {mini_swe.TESTED_VERSION}"
    else:
        return of_it(state="ok", found=there)
    return of_it(state="broken", found=told, advice=mini_swe.INSTALL)


def users_agents() -> list[Check]:
    """Agents that other packages bring."""
    points = entry_points(group="pytest_aar.agents")
    return [
        Check(area=_AGENTS, name=point.name, state="ok", found=f"from {point.value}")
        for point in points
    ]


def node() -> Check:
    """Node.js, which npm runs on."""
    return _program(
        "node", "for aar install codex and claude-code: https://nodejs.org, 18 or newer"
    )


def npm() -> Check:
    """What installs the agents from npm; races don't need it."""
    return _program("npm", "for aar install codex and claude-code: your system's package npm")


def _program(name: str, advice: str) -> Check:
    path = shutil.which(name)
    if path is None:
        return Check(area=_AGENTS, name=name, state="off", found="not on PATH", advice=advice)
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Check(
            area=_AGENTS, name=name, state="broken", found=f"{path}: {error}", advice=advice
        )
    said = done.stdout.strip()[:40]
    if done.returncode != 0 or not said:
        told = f"{path}: exit status {done.returncode}, {done.stderr.strip()[:120]}"
        return Check(area=_AGENTS, name=name, state="broken", found=told, advice=advice)
    return Check(area=_AGENTS, name=name, state="ok", found=f"{said.removeprefix('v')}, {path}")


def extra(name: str, package: str, use: str) -> Check:
    """An extra that is imported only when asked for, by the package that it brings."""
    if not _is_installed(package):
        advice = f"for {use}: pip install 'pytest-aar[{name}]'"
        return Check(area=_EXTRAS, name=name, state="off", found="not installed", advice=advice)
    there, wanted = version(package), _wanted(name, package)
    if not wanted.contains(there, prereleases=True):
        return Check(
            area=_EXTRAS,
            name=name,
            state="broken",
            found=f"{package} {there}, needed: {wanted}",
            advice=f"pip install '{package}{wanted}'",
        )
    return Check(area=_EXTRAS, name=name, state="ok", found=f"{package} {there}")


def _wanted(name: str, package: str) -> SpecifierSet:
    """The versions of a package that an extra asks for."""
    found = [need.specifier for need in _needs(name) if need.name == package]
    return found[0] if found else SpecifierSet()


def _extra(name: str) -> list[str]:
    """The packages that an extra adds."""
    return [need.name for need in _needs(name)]


def _needs(name: str) -> list[Requirement]:
    needs = [Requirement(text) for text in requires("pytest-aar") or ()]
    marked = [need for need in needs if need.marker is not None]
    return [need for need in marked if need.marker and need.marker.evaluate({"extra": name})]


def _is_installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True
