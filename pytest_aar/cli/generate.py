"""`aar generate`: make legs over the sandbox world."""

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from pytest_aar.generate.levels import LEVELS
from pytest_aar.generate.sandbox import Made, Wish, make, workshop
from pytest_aar.levels import VARIANTS


@click.command()
@click.option(
    "--world", type=click.Choice(["sandbox"]), default="sandbox", show_default=True, help="World."
)
@click.option("--variant", type=click.Choice(VARIANTS), required=True, help="Shape of the route.")
@click.option("--difficulty", type=click.Choice(list(LEVELS)), required=True, help="Level.")
@click.option("-n", "count", type=click.IntRange(1, 999), default=1, show_default=True)
@click.option("--rng-seed", type=int, default=0, show_default=True, help="Same seed, same legs.")
@click.option("--seed-url", help="Page to start on; random pages by default.")
@click.option("--random-seeds", is_flag=True, help="Start on random pages (the default).")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("legs"),
    show_default=True,
)
def command(  # noqa: PLR0913 - one parameter for each option of the command line
    *,
    world: str,
    variant: str,
    difficulty: str,
    count: int,
    rng_seed: int,
    seed_url: str | None,
    random_seeds: bool,
    out: Path,
) -> None:
    """Make legs: crawl, plan, build, validate, link, augment, execute, verbalize.

    Files are OUT/VARIANT/LEVEL/NNN.json; a leg already there from the same seed is kept.
    """
    if seed_url and random_seeds:
        raise click.UsageError("give --seed-url or --random-seeds, not both")
    del world  # one choice so far
    wish = Wish(
        variant=variant,
        level=LEVELS[difficulty],
        count=count,
        rng_seed=rng_seed,
        out=out,
        seed_url=seed_url,
    )
    asyncio.run(_made(wish))


@contextmanager
def _progress(count: int) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal; elsewhere nothing, not even the bar's label."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with click.progressbar(length=count, label="legs", file=sys.stderr) as bar:
        yield bar.update


async def _made(wish: Wish) -> None:
    """Make the legs with a progress bar; at the end, the rejected drafts by reason."""
    async with workshop() as shop:
        made: list[Made] = []
        with _progress(wish.count) as advance:
            async for each in make(wish, shop):
                made.append(each)
                advance(1)
        for each in made:
            note = " (kept)" if each.kept else ""
            click.echo(f"{each.path}: {len(each.leg.stops)} stops, digit {each.leg.digit}{note}")
        for reason, times in shop.rejects.most_common():
            click.echo(f"rejected {times} x {reason}", err=True)
