"""What races stand on: the sandbox world's data, the box, the walls of the Python tool. Each is tried."""

import asyncio

from pytest_aar.box import advice as box_advice
from pytest_aar.errors import AarError

from .check import EVERYTHING, MCP, RACES, SANDBOX, Check
from .probes import Probes

_SECONDS = 10.0
_SUM = ("print(6 * 7)", "42")


def world(probes: Probes) -> Check:
    """Open the data of the sandbox world."""
    try:
        opened = probes.load_world()
    except (OSError, ValueError, KeyError) as error:
        return Check(
            area=SANDBOX, name="world", state="broken", found=f"its data can't be read: {error}",
            advice="pip install --force-reinstall --no-deps pytest-aar", needed_for=(SANDBOX, MCP),
        )  # fmt: skip
    return Check(
        area=SANDBOX,
        name="world",
        state="ok",
        found=f"{len(opened):,} pages, {opened.hash}",
        needed_for=(SANDBOX, MCP),
    )


def box(probes: Probes) -> Check:
    """Start a box, as the first race would."""
    try:
        isolation = probes.isolation("auto")
    except AarError as error:
        return Check(area=SANDBOX, name="box", state="broken", found=str(error), needed_for=RACES)
    if isolation.name == "none":
        return Check(
            area=SANDBOX, name="box", state="missing", found=f"none: {isolation.detail}",
            advice=f"without it agents' programs see all that you see. {box_advice()}", told_for=RACES,
        )  # fmt: skip
    found = f"{isolation.name}, by {'the rights of root' if isolation.form == 'root' else 'user namespaces'}"
    return Check(area=SANDBOX, name="box", state="ok", found=found, told_for=RACES)


def python_tool(probes: Probes) -> Check:
    """Run a line of Python, as python_execute_code would."""
    code, expected = _SUM
    try:
        run = asyncio.run(probes.python_tool.run(code, timeout_seconds=_SECONDS))
    except (AarError, OSError) as error:
        return _python_broken(str(error))
    if run.stdout.strip() != expected:
        return _python_broken(
            f"{code} gave {run.stdout.strip()!r}, exit code {run.exit_code}: {run.stderr.strip()[-200:]}"
        )
    weak = run.isolation == "weak"
    return Check(
        area=SANDBOX,
        name="python tool",
        state="missing" if weak else "ok",
        found="no walls but limits" if weak else f"within walls ({run.isolation})",
        advice="code that agents write sees this machine: get the box, or set --aar-python-tool=off"
        if weak
        else "",
        told_for=EVERYTHING,
    )


def _python_broken(problem: str) -> Check:
    return Check(
        area=SANDBOX, name="python tool", state="broken", found=problem,
        advice="see docs/isolation.md, or set --aar-python-tool=off", needed_for=EVERYTHING,
    )  # fmt: skip
