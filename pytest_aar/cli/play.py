"""`aar play`: a person races a leg in the terminal, with the same tools, trace and score as any agent."""

import math
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pytest_aar.cli.world_choice import chosen_for_leg
from pytest_aar.errors import InfrastructureError
from pytest_aar.settings import WORLDS_TOLD, Settings

if TYPE_CHECKING:
    from pytest_aar.agents.human import HumanAgent, Terminal
    from pytest_aar.leg import Leg
    from pytest_aar.race import Race
    from pytest_aar.results import RunFolder

_LEGS = Path("legs")
_OWN = Path(".aar")


@click.command("play")
@click.argument("leg", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--world",
    default="auto",
    show_default=True,
    metavar="WORLD",
    help=f"Whose services answer: {', '.join(WORLDS_TOLD)}; auto is the world of the leg's seed page.",
)
@click.option(
    "--results",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the results.  [default: .aar/runs/<id>]",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    help="Seconds that the race may take; the paper's agents had 600.  [default: no limit]",
)
@click.option("--contact", help="Address or URL that Wikimedia can reach you at (live only).")
@click.option("--show-golden", is_flag=True, help="Say the right digit at the end.")
def command(
    leg: Path,
    *,
    world: str,
    results: Path | None,
    timeout: float | None,
    contact: str | None,
    show_golden: bool,
) -> None:
    """Race the leg in the file LEG yourself: read the clues, call the tools, answer with one digit.

    Lines come from the terminal or from a pipe. Exit code: 0 the right digit, 1 a lost race, 2 wrong usage.
    """
    from pytest_aar.agents.human import terminal_of  # noqa: PLC0415 - `aar --help` stays fast
    from pytest_aar.gateway.zim_world import check_zim  # noqa: PLC0415 - same
    from pytest_aar.leg_file import read_leg  # noqa: PLC0415 - same

    settings = Settings(
        agent="human",
        world=chosen_for_leg(world),
        record="off",
        timeout=math.inf if timeout is None else timeout,
        results=results,
        contact=contact,
        infra_retries=0,
        show_golden=show_golden,
    )
    check_zim(settings)
    terminal = terminal_of(sys.stdin, sys.stdout)
    found = read_leg(leg, legs_root=_LEGS)
    folder = _folder(results)
    race = _raced(found, settings, folder, terminal)
    _keep(folder, race, settings)
    with suppress(OSError):  # a terminal that is gone must not hide that the race was kept
        terminal.say(f"\n{_verdict(race)}\nresults: {folder.path}")
    sys.exit(0 if race.won else 1)


def _folder(results: Path | None) -> "RunFolder":
    """Where the race will be kept; refused before the race when it can't be."""
    from pytest_aar.results import RunFolder, new_run_id  # noqa: PLC0415 - same

    folder = RunFolder(results or _OWN / "runs" / new_run_id(), option="--results")
    folder.check()
    return folder


def _raced(leg: "Leg", settings: Settings, folder: "RunFolder", terminal: "Terminal") -> "Race":
    """The race runs in a thread of its own; the person stays in this one, where Ctrl-C arrives."""
    from pytest_aar.agents.human import HumanAgent  # noqa: PLC0415 - same
    from pytest_aar.race import Track  # noqa: PLC0415 - same

    agent = HumanAgent()
    with (
        closing(Track(settings, folder.path)) as track,
        ThreadPoolExecutor(1) as pool,
        _hang_ups_are_interrupts(),
    ):
        racing = pool.submit(track.race, leg, agent)
        racing.add_done_callback(agent.no_race)
        _play(agent, terminal)
        return racing.result()


def _play(agent: "HumanAgent", terminal: "Terminal") -> None:
    from pytest_aar.agents.human import Player, given_up  # noqa: PLC0415 - same

    finish = given_up("before the first move")
    try:
        seat = agent.seat()
        if seat is not None:
            finish = Player(seat, terminal).play()
    except KeyboardInterrupt:
        pass
    finally:  # whatever happens here, the race must end
        agent.end(finish)


@contextmanager
def _hang_ups_are_interrupts() -> Iterator[None]:
    """A closed terminal or a polite kill is a give-up, too: the trace is kept."""
    kinds = [getattr(signal, name, None) for name in ("SIGHUP", "SIGTERM")]
    before: dict[Any, Any] = {}
    # ValueError: not in the main thread, where signals can't be set
    with suppress(ValueError):
        for kind in filter(None, kinds):
            before[kind] = signal.signal(kind, signal.default_int_handler)
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


def _keep(folder: "RunFolder", race: "Race", settings: Settings) -> None:
    from pytest_aar.results import keep_out_of_git, provenance_of  # noqa: PLC0415 - same

    provenance = provenance_of(folder.path, settings, Path.cwd())
    if math.isinf(settings.timeout):
        provenance["profile"]["timeout"] = None  # JSON has no infinity
    try:
        if settings.results is None:
            keep_out_of_git(_OWN)
        folder.begin(provenance)
        folder.append(race.record)
    except OSError as error:
        raise InfrastructureError(f"can't write results to {folder.path}: {error}") from error


def _verdict(race: "Race") -> str:
    """The end of the race in a few lines; the right digit only if it was asked for."""
    from pytest_aar.reports.lost import contaminated_race, lost_race  # noqa: PLC0415 - same

    record, score = race.record, race.score
    if race.contaminated:
        return contaminated_race(record, trace=str(race.trace_path))
    if score is None:
        return f"The race could not be run: {record.detail}"
    rcr = "-" if score.rcr is None else f"{score.rcr:.2f}"
    figures = (
        f"  FA {score.fa}, PVR {score.pvr:.2f}, RCR {rcr}; {record.tool_calls} tool calls, "
        f"{record.race_seconds:.0f} s"
    )
    if race.won:
        return f"leg {record.leg} won: {record.answer} is the digit\n{figures}"
    return f"{lost_race(race.leg, record, trace=str(race.trace_path))}\n{figures}"
