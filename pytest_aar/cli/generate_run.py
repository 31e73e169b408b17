"""A run of `aar generate`: its world, model and processes opened, the legs made, and what came of it told."""

import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from typing import cast

import click

from pytest_aar.cli.generate_asked import Asked
from pytest_aar.cli.world_choice import tell_retries
from pytest_aar.generate.hands import Hands, many_hands
from pytest_aar.generate.making import Made, make
from pytest_aar.generate.order import Wish, Workshop
from pytest_aar.generate.sandbox import WORLD, workshop
from pytest_aar.leg import Leg
from pytest_aar.leg_file import looks_like_leg, read_leg
from pytest_aar.lint.likeness import digit_counts, mean_overlap, pages_of, unevenness
from pytest_aar.settings import RecordMode, Settings

#: Fewer legs are made by this process alone: others take a second to start.
_FEW = 3


async def made(asked: Asked, wish: Wish, settings: Settings) -> None:
    """Make the legs with a progress bar; at the end, the set's figures and the rejects by reason."""
    async with (
        _workshop(settings) as plain,
        _with_author(plain, asked) as shop,
        _hands(asked) as hands,
    ):
        done: list[Made] = []
        with _progress(wish.count) as advance:
            async for each in make(wish, shop, _others(wish), hands=hands):
                done.append(each)
                advance(each)
        _tell(done, shop)


@contextmanager
def _progress(count: int) -> Iterator[Callable[[Made], None]]:
    """Tells each leg at once; on a terminal a bar moves, and they are told when it ends, however it does."""
    if not sys.stderr.isatty():
        yield lambda made: click.echo(_line(made))
        return
    lines: list[str] = []
    try:
        with click.progressbar(length=count, label="legs", file=sys.stderr) as bar:

            def advance(made: Made) -> None:
                lines.append(_line(made))
                bar.update(1)

            yield advance
    finally:
        for line in lines:
            click.echo(line)


def _line(made: Made) -> str:
    note = " (kept)" if made.kept else ""
    return f"{made.path}: {len(made.leg.stops)} stops, digit {made.leg.digit}{note}"


@asynccontextmanager
async def _workshop(settings: Settings) -> AsyncIterator[Workshop]:
    """The world that was asked for."""
    if settings.world == WORLD:
        async with workshop() as shop:
            yield shop
        return
    tell_retries()
    from pytest_aar.generate.wiki import wiki_workshop  # noqa: PLC0415 - the sandbox needs none of it

    async with wiki_workshop(settings) as shop:
        yield shop


@asynccontextmanager
async def _with_author(shop: Workshop, asked: Asked) -> AsyncIterator[Workshop]:
    """The workshop with the model that was asked for, if one was."""
    if not asked.asks_model:
        yield shop
        return
    from pytest_aar.generate.author import Author  # noqa: PLC0415 - only models need the gateway

    settings = Settings(
        model=asked.model,
        base_url=asked.base_url,
        record=cast(RecordMode, asked.record),
        cassettes=asked.cassettes,
        world=WORLD,  # the gateway calls no tool here
    )
    with Author(settings) as author:
        yield replace(shop, author=author)


@asynccontextmanager
async def _hands(asked: Asked) -> AsyncIterator[Hands | None]:
    """Several processes where that pays: in the sandbox world, which gives the same to each."""
    jobs = min(asked.jobs or os.cpu_count() or 1, asked.count)
    if asked.world != WORLD or asked.asks_model or jobs == 1 or asked.count <= _FEW:
        yield None
        return
    async with many_hands(jobs) as hands:
        yield hands


def _others(wish: Wish) -> tuple[Leg, ...]:
    """The legs of other variants and levels that the folder holds: the set is to be diverse as a whole."""
    own = wish.out / wish.variant / wish.level.name
    files = sorted(path for path in wish.out.glob("*/*/*.json") if path.parent != own)
    return tuple(read_leg(path, legs_root=wish.out) for path in files if looks_like_leg(path))


def _tell(made: list[Made], shop: Workshop) -> None:
    """Yield, rejects and diversity, for people."""
    fresh, rejected = sum(not each.kept for each in made), shop.rejects.total()
    if fresh:
        click.echo(f"yield {fresh} of {fresh + rejected} drafts", err=True)
    for reason, times in shop.rejects.most_common():
        click.echo(f"rejected {times} x {reason}", err=True)
    if len(made) > 1:
        legs = [each.leg for each in made]
        click.echo(
            f"pages shared by two legs: {mean_overlap([pages_of(leg) for leg in legs]) or 0:.4f} "
            f"(mean Jaccard); digits: chi-square {unevenness(digit_counts(legs)) or 0:.2f}",
            err=True,
        )
