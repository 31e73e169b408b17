"""`aar refresh`: golden traces run anew; drift told stop by stop, and written only when asked for."""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from pytest_aar.cli.world_choice import asked_for, opened_world, world_options
from pytest_aar.errors import ConfigurationError
from pytest_aar.guarded import told_if_unwritable, write_file
from pytest_aar.leg import Leg
from pytest_aar.leg_file import read_leg, write_leg
from pytest_aar.settings import Settings, world_label

from .stats import leg_files

if TYPE_CHECKING:
    from pytest_aar.golden.renewal import Renewal

_LEGS = Path("legs")
State = Literal["unchanged", "drifted", "broken"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refreshed:
    """One leg's outcome: `written`, or why its new values were not (`kept`); neither without `--write`."""

    file: Path
    found: "Renewal"
    written: bool = False
    kept: tuple[str, ...] = ()

    @property
    def state(self) -> State:
        """`broken` where a stop has no value or no way on, else whether any value has drifted."""
        if self.found.broken:
            return "broken"
        return "drifted" if self.found.drifted else "unchanged"


@click.command("refresh")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@world_options
@click.option("--write", is_flag=True, help="Write drifted legs with new values, digit and time.")
@click.option(
    "--keep-unverifiable",
    is_flag=True,
    help="Write legs, too, whose digit needs a fact that no rule extracts; `metadata` then names it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of lines.")
def command(
    paths: tuple[Path, ...], *, write: bool, keep_unverifiable: bool, as_json: bool, **world: Any
) -> None:
    """Compute the golden values of the legs in PATHS (files or folders) anew, and say what has drifted.

    Exit code: 0 nothing drifted, or all of it was written; 1 something did; 2 wrong usage; 3 a service did not
    answer, and the legs from there on are not judged.
    """
    settings = asked_for(**world)
    legs = [(file, read_leg(file, legs_root=_LEGS)) for file in leg_files(paths)]
    _check_world(legs, settings.world)
    done: list[Refreshed] = []
    try:
        asyncio.run(_all(legs, settings, done, write=write, keep_unverifiable=keep_unverifiable))
    finally:
        if done:  # also where a service fails later on: written is written
            click.echo(
                json.dumps(as_data(done), indent=1, ensure_ascii=False) if as_json else told(done)
            )
    sys.exit(1 if any(each.found.has_changed and not each.written for each in done) else 0)


def told(done: Sequence[Refreshed]) -> str:
    """A line for each stop with something to say, what became of each leg, and the numbers."""
    states = Counter(each.state for each in done)
    unseen = [each for each in done if each.found.unverifiable]
    numbers = ", ".join(f"{states[state]} {state}" for state in ("unchanged", "drifted", "broken"))
    facts = sum(len(each.found.unverifiable) for each in unseen)
    return "\n".join(
        (
            *(line for each in done for line in _lines(each)),
            f"{len(done)} legs: {numbers}; {sum(each.written for each in done)} written; "
            f"{facts} facts in {len(unseen)} legs unverifiable",
        )
    )


def as_data(done: Sequence[Refreshed]) -> dict[str, Any]:
    """The same for programs."""
    return {"legs": {each.found.leg.leg_id: _data(each) for each in done}}


def _lines(each: Refreshed) -> Iterator[str]:
    found = each.found
    name = found.leg.leg_id
    for miss in (*found.drifted, *found.broken):
        yield f"{name}: {miss}"
    for stop, source in found.stale.items():
        yield f"{name}: stop {stop} (roadblock): its arguments hold the old value of stop {source}"
    for stop in found.unverifiable:
        needed = "the digit needs it" if stop in found.needed else "the digit does not need it"
        target = found.leg.stops[stop].target
        yield f"{name}: stop {stop} (route info): unverifiable, no rule extracts {target!r}; {needed}"
    if found.walk.digit != found.leg.digit:
        yield f"{name}: the digit is {found.leg.digit}, recomputed {found.walk.digit}"
    if each.written:
        yield f"{name}: written to {each.file}"
    elif each.kept:
        yield f"{name}: not written: {'; '.join(each.kept)}. Correct the leg, or make another"


def _data(each: Refreshed) -> dict[str, Any]:
    found = each.found
    misses = (*found.drifted, *found.broken)
    return {
        "file": str(each.file),
        "state": each.state,
        "stops": [asdict(miss) for miss in misses],
        "stale": sorted(found.stale),
        "unverifiable": list(found.unverifiable),
        "digit": {"old": found.leg.digit, "new": found.walk.digit},
        "written": each.written,
        "not_written": list(each.kept),
    }


async def _all(
    legs: Sequence[tuple[Path, Leg]],
    settings: Settings,
    done: list[Refreshed],
    *,
    write: bool,
    keep_unverifiable: bool,
) -> None:
    """Add what became of each leg to `done` as soon as it is known."""
    from pytest_aar.golden.renewal import renewal_of  # noqa: PLC0415 - help comes without it
    from pytest_aar.tools import ToolResult  # noqa: PLC0415 - same
    from pytest_aar.tools.answered import answered  # noqa: PLC0415 - same

    async with opened_world(settings) as opened:

        async def call_tool(name: str, arguments: Mapping[str, Any]) -> ToolResult:
            return await answered(name, arguments, opened.services)

        for file, leg in legs:
            each = Refreshed(file=file, found=await renewal_of(leg, call_tool))
            if write and each.found.has_changed:
                version = opened.world_hash or settings.world
                each = _kept_or_written(each, settings, version, unverifiable_too=keep_unverifiable)
            done.append(each)


def _kept_or_written(
    each: Refreshed, settings: Settings, version: str, *, unverifiable_too: bool
) -> Refreshed:
    from pytest_aar.gateway.world_date import world_date  # noqa: PLC0415 - help comes without it
    from pytest_aar.golden.renewal import renewed  # noqa: PLC0415 - same

    hindrances = each.found.hindrances(unverifiable_too=unverifiable_too)
    if not hindrances:
        origin = {"world": world_label(settings.world), "world_hash": version}
        fresh = renewed(each.found, world_date(settings, datetime.now(UTC)), origin)
        with told_if_unwritable(each.file, "make it writable, or leave --write out"):
            write_file(each.file, write_leg(fresh))
    return replace(each, written=not hindrances, kept=hindrances)


def _check_world(legs: Sequence[tuple[Path, Leg]], world: str) -> None:
    """Refuse legs of the live world in the sandbox and the other way round: every stop would be gone."""
    for file, leg in legs:
        own = "sandbox" if leg.is_sandbox else "live"
        if world in ("sandbox", "live") and own != world:
            raise ConfigurationError(
                f"{file}: the leg starts at {leg.seed_url}, in the {own} world, and --world is {world}: "
                f"add --world {own}"
            )
