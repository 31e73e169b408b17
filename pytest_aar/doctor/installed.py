"""Agents and their versions, Node.js and npm, the extras."""

import subprocess
from functools import partial
from importlib.metadata import PackageNotFoundError

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from pytest_aar.agents import mini_swe
from pytest_aar.agents.from_npm import FROM_NPM
from pytest_aar.agents.npm_program import NpmProgram
from pytest_aar.errors import AgentNotInstalled
from pytest_aar.extras import install

from .check import RACES, Check
from .probes import Probes

_AGENTS, _EXTRAS = "agents", "extras"
#: Agents that npm installs.
NPM_AGENTS = tuple(FROM_NPM)


def agent(name: str, probes: Probes) -> Check:
    """Whether an agent is installed, in a version that races were run with."""
    if name in FROM_NPM:
        return npm_agent(FROM_NPM[name](), probes)
    if name == "mini-swe":
        return mini_swe_agent(probes)
    return Check(
        area=_AGENTS, name=name, state="ok", found="part of pytest-aar", needed_for=(name,)
    )


def npm_agent(program: NpmProgram, probes: Probes) -> Check:
    """The native binary and its version."""
    install = f"aar install {program.agent}"
    of_it = partial(Check, area=_AGENTS, name=program.agent, needed_for=(program.agent,))
    try:
        there = program.version(None)
    except AgentNotInstalled as problem:
        is_there = probes.which(program.command) is not None or program.installed() is not None
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


def mini_swe_agent(probes: Probes) -> Check:
    """The package without its dependencies, and what it needs of them."""
    of_it = partial(Check, area=_AGENTS, name="mini-swe", needed_for=("mini-swe",))
    try:
        there = probes.version(mini_swe.PACKAGE)
    except PackageNotFoundError:
        return of_it(state="missing", found="not installed", advice=mini_swe.INSTALL)
    lacking = [name for name in _extra("mini-swe", probes) if not _is_installed(name, probes)]
    if lacking:
        told = f"{there}, without {', '.join(lacking)}"
    elif there != mini_swe.TESTED_VERSION:
        told = f"{there}; races were run with {mini_swe.TESTED_VERSION}"
    else:
        return of_it(state="ok", found=there)
    return of_it(state="broken", found=told, advice=mini_swe.INSTALL)


def users_agents(probes: Probes) -> list[Check]:
    """Agents that other packages bring."""
    points = probes.entry_points("pytest_aar.agents")
    return [
        Check(
            area=_AGENTS, name=point.name, state="ok", found=f"from {point.value}", told_for=RACES
        )
        for point in points
    ]


def node(probes: Probes) -> Check:
    """Node.js, which npm runs on."""
    return _program(
        "node", "for aar install codex and claude-code: https://nodejs.org, 18 or newer", probes
    )


def npm(probes: Probes) -> Check:
    """What installs the agents from npm; races don't need it."""
    return _program(
        "npm", "for aar install codex and claude-code: your system's package npm", probes
    )


def _program(name: str, advice: str, probes: Probes) -> Check:
    of_it = partial(Check, area=_AGENTS, name=name, told_for=NPM_AGENTS)
    path = probes.which(name)
    if path is None:
        return of_it(state="off", found="not on PATH", advice=advice)
    try:
        done = subprocess.run(
            [path, "--version"],
            capture_output=True,
            text=True,
            timeout=probes.program_seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        told = f"{path}: no answer within {probes.program_seconds:g} s, not judged"
        return of_it(state="slow", found=told, advice="look again when this machine has less to do")
    except OSError as error:
        return of_it(state="broken", found=f"{path}: {error}", advice=advice)
    said = done.stdout.strip()[:40]
    if done.returncode != 0 or not said:
        told = f"{path}: exit status {done.returncode}, {done.stderr.strip()[:120]}"
        return of_it(state="broken", found=told, advice=advice)
    return of_it(state="ok", found=f"{said.removeprefix('v')}, {path}")


def extra(name: str, package: str, use: str, probes: Probes) -> Check:
    """An extra, which the purpose of that name needs, by the package that it brings."""
    of_it = partial(Check, area=_EXTRAS, name=name, needed_for=(name,))
    if not _is_installed(package, probes):
        advice = f"for {use}: {install(name)}"
        return of_it(state="missing", found="not installed", advice=advice)
    there, wanted = probes.version(package), _wanted(name, package, probes)
    if wanted.contains(there, prereleases=True):
        return of_it(state="ok", found=f"{package} {there}")
    found, advice = f"{package} {there}, needed: {wanted}", f"pip install '{package}{wanted}'"
    return of_it(state="broken", found=found, advice=advice)


def _wanted(name: str, package: str, probes: Probes) -> SpecifierSet:
    """The versions of a package that an extra asks for."""
    found = [need.specifier for need in _needs(name, probes) if need.name == package]
    return found[0] if found else SpecifierSet()


def _extra(name: str, probes: Probes) -> list[str]:
    """The packages that an extra adds."""
    return [need.name for need in _needs(name, probes)]


def _needs(name: str, probes: Probes) -> list[Requirement]:
    needs = [Requirement(text) for text in probes.requires("pytest-aar") or ()]
    marked = [need for need in needs if need.marker is not None]
    return [need for need in marked if need.marker and need.marker.evaluate({"extra": name})]


def _is_installed(package: str, probes: Probes) -> bool:
    try:
        probes.version(package)
    except PackageNotFoundError:
        return False
    return True
