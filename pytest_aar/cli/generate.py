"""`aar generate`: make legs."""

import asyncio
from pathlib import Path
from typing import Any

import click

from pytest_aar.cli.generate_asked import LLM, Asked, wish_of
from pytest_aar.cli.generate_run import made
from pytest_aar.cli.world_choice import asked_for, world_options
from pytest_aar.generate.levels import LEVELS
from pytest_aar.levels import VARIANTS

#: Of --aar-record's modes those that make sense without a race.
_RECORD = ("none", "once", "all", "off")


@click.command()
@world_options
@click.option("--variant", type=click.Choice(VARIANTS), required=True, help="Shape of the route.")
@click.option(
    "--difficulty", required=True, metavar="LEVEL", help=f"{', '.join(LEVELS)}, or one of --levels."
)
@click.option("-n", "count", type=click.IntRange(1, 9_999), default=1, show_default=True)
@click.option("--rng-seed", type=int, default=0, show_default=True, help="Same seed, same legs.")
@click.option(
    "--smoke",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Mark the first N legs aar_smoke: a small set for runs that cost more.",
)
@click.option("--seed-url", help="Page to start on; random pages by default.")
@click.option("--random-seeds", is_flag=True, help="Start on random pages (the default).")
@click.option(
    "--seed-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Pages to start on in turn: a file with one address a line.",
)
@click.option(
    "--levels",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Levels of your own: a TOML file with tables [level.NAME].",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("legs"),
    show_default=True,
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    help="Processes that make legs of the sandbox world; default: one for each processor.",
)
@click.option(
    "--planner",
    type=click.Choice(["seeded", LLM]),
    default="seeded",
    show_default=True,
    help="Who chooses the pages of a route: chance, or the model.",
)
@click.option(
    "--verbalizer",
    type=click.Choice(["grammar", LLM]),
    default="grammar",
    show_default=True,
    help="Whose words clues are in: the grammar's, or the model's.",
)
@click.option("--model", help="The model's name, as --aar-model.")
@click.option("--base-url", help="Where the model is, as --aar-base-url.")
@click.option(
    "--record",
    type=click.Choice(_RECORD),
    default="once",
    show_default=True,
    help="What the model says is recorded or replayed, as with --aar-record.",
)
@click.option(
    "--cassettes",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("cassettes"),
    show_default=True,
    help="Folder of the model's recordings.",
)
def command(**options: Any) -> None:
    """Make legs: crawl, plan, build, validate, link, augment, execute, verbalize.

    Files are OUT/VARIANT/LEVEL/NNN.json; a leg already there from the same request is kept, so a run
    that was broken off goes on where it was.
    """
    asked = Asked(**options)
    settings = asked_for(
        asked.world,
        asked.contact,
        services=asked.services,
        wiki_at=asked.wiki_at,
        limits=asked.limits,
    )
    asyncio.run(made(asked, wish_of(asked), settings))
