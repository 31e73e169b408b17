"""`aar show`: one leg as the agent sees it, as a graph, or with its answers."""

import json
from collections.abc import Callable
from pathlib import Path

import click

from pytest_aar.leg import (
    Detour,
    FinishLine,
    Leg,
    PitStop,
    Roadblock,
    RouteInfo,
    ancestry,
    diamonds,
    is_linear,
    template_of,
    topological_order,
)
from pytest_aar.leg.route import previous_stops
from pytest_aar.leg_file import read_leg
from pytest_aar.tools import TOOL_NAMES

from .stats import named_leg

_WIDEST = 60


@click.command("show")
@click.argument("leg", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--envelope", is_flag=True, help="What the agent sees (default).")
@click.option("--graph", is_flag=True, help="The route, its diamonds, what counts.")
@click.option("--golden", is_flag=True, help="Each stop's value, and the digit.")
def command(leg: Path, **views: bool) -> None:
    """Show the leg in the file LEG; several views are printed one after another."""
    wanted = [name for name in _VIEWS if views[name]] or ["envelope"]
    found = read_leg(named_leg(leg))
    click.echo("\n\n".join(_VIEWS[name](found) for name in wanted))


def envelope_text(leg: Leg) -> str:
    """The clue envelope: seed, budget, tools, clues."""
    return "\n".join(
        (
            f"seed URL     {leg.seed_url}",
            f"step budget  {leg.step_budget}",
            f"tools        {', '.join(TOOL_NAMES)}",
            "",
            leg.clues,
        )
    )


def graph_text(leg: Leg) -> str:
    """One line per stop in topological order: what it follows, what it is; `*` if the digit needs it."""
    needed = ancestry(leg)
    count = len(diamonds(leg))
    shape = "linear" if is_linear(leg) else f"{count} diamond{'s' * (count != 1)}"
    lines = [f"{leg.leg_id}: {leg.variant}, {leg.level}, {len(leg.stops)} stops, {shape}"]
    marks = _diamond_marks(leg)
    for index in topological_order(leg):
        stop = leg.stops[index]
        follows = ", ".join(map(str, previous_stops(stop))) or "start"
        star = "*" if index in needed else " "
        lines.append(f"{star}{index:>3} <- {follows:<8} {what(stop)}{marks.get(index, '')}")
    return "\n".join((*lines, "* its value flows into the digit"))


def golden_text(leg: Leg) -> str:
    """A table of the golden trace; it holds the answers."""
    from tabulate import tabulate  # noqa: PLC0415 - for this view alone

    rows = [(stop.index, what(stop), _short(stop.value)) for stop in leg.stops]
    table = tabulate(rows, headers=("stop", "what", "value"), disable_numparse=True)
    return f"{table}\n\ndigit: {leg.digit}"


def what(stop: PitStop) -> str:
    """A stop in a few words: kind, and page, calls, transform or expression."""
    match stop:
        case RouteInfo():
            return f"route info   {stop.page_url}"
        case Roadblock():
            calls = " > ".join(step.tool for step in stop.chain)
            return f"roadblock    {template_of(stop)} ({calls})"
        case Detour():
            return f"detour       {stop.transform} of stop {stop.source}"
        case FinishLine():
            return f"finish line  {stop.expression}"


def _diamond_marks(leg: Leg) -> dict[int, str]:
    marks: dict[int, str] = {}
    for number, diamond in enumerate(diamonds(leg), start=1):
        marks |= dict.fromkeys(diamond.branches, f"  [diamond {number}: branch]")
        marks[diamond.merge] = f"  [diamond {number}: merge]"
    return marks


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..."


_VIEWS: dict[str, Callable[[Leg], str]] = {
    "envelope": envelope_text,
    "graph": graph_text,
    "golden": golden_text,
}
