"""`aar generate`: make legs."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import click

from pytest_aar.cli.world_choice import asked_for, world_options
from pytest_aar.errors import ConfigurationError
from pytest_aar.generate.hands import Hands, many_hands
from pytest_aar.generate.level_file import levels_in, ranges_of
from pytest_aar.generate.levels import LEVELS, Level
from pytest_aar.generate.making import Made, make
from pytest_aar.generate.order import Wish, Workshop
from pytest_aar.generate.sandbox import WORLD, workshop
from pytest_aar.leg import Leg
from pytest_aar.leg_file import looks_like_leg, read_leg
from pytest_aar.levels import VARIANTS
from pytest_aar.lint.likeness import digit_counts, mean_overlap, pages_of, unevenness
from pytest_aar.settings import RecordMode, Settings

#: Fewer legs are made by this process alone: others take a second to start.
_FEW = 3
_LLM = "llm"
#: Of --aar-record's modes those that make sense without a race.
_RECORD = ("none", "once", "all", "off")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The command line."""

    world: str
    variant: str
    difficulty: str
    count: int
    rng_seed: int
    smoke: int
    seed_url: str | None
    random_seeds: bool
    seed_file: Path | None
    levels: Path | None
    out: Path
    jobs: int | None
    contact: str | None
    services: tuple[str, ...]
    wiki_at: str | None
    limits: tuple[str, ...]
    planner: str
    verbalizer: str
    model: str | None
    base_url: str | None
    record: str
    cassettes: Path

    @property
    def asks_model(self) -> bool:
        """Whether a model has to be asked."""
        return _LLM in (self.planner, self.verbalizer)


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
    type=click.Choice(["seeded", _LLM]),
    default="seeded",
    show_default=True,
    help="Who chooses the pages of a route: chance, or the model.",
)
@click.option(
    "--verbalizer",
    type=click.Choice(["grammar", _LLM]),
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
    asked = _Asked(**options)
    settings = asked_for(
        asked.world,
        asked.contact,
        services=asked.services,
        wiki_at=asked.wiki_at,
        limits=asked.limits,
    )
    asyncio.run(_made(asked, _wish(asked), settings))


def _wish(asked: _Asked) -> Wish:
    if sum(map(bool, (asked.seed_url, asked.random_seeds, asked.seed_file))) > 1:
        raise click.UsageError("give one of --seed-url, --random-seeds, --seed-file, not both")
    level = _level(asked)
    return Wish(
        variant=asked.variant,
        level=level,
        count=asked.count,
        rng_seed=asked.rng_seed,
        out=asked.out,
        smoke=asked.smoke,
        seed_urls=_seed_urls(asked),
        asked={**_own_level(level), **_authors(asked)},
    )


def _own_level(level: Level) -> dict[str, str]:
    return {} if LEVELS.get(level.name) is level else {"levels": ranges_of(level)}


def _authors(asked: _Asked) -> dict[str, str]:
    """Who plans and words where that is a model: it is written into the legs."""
    if asked.asks_model and not asked.model:
        raise click.UsageError("--planner llm and --verbalizer llm need --model NAME")
    who = {"planner": asked.planner, "verbalizer": asked.verbalizer}
    return {part: f"llm:{asked.model}" for part, choice in who.items() if choice == _LLM}


def _level(asked: _Asked) -> Level:
    known = LEVELS if asked.levels is None else levels_in(asked.levels)
    if asked.difficulty not in known:
        raise click.UsageError(
            f"--difficulty: {asked.difficulty!r} is no level; valid: {', '.join(known)}"
        )
    return known[asked.difficulty]


def _seed_urls(asked: _Asked) -> tuple[str, ...]:
    if asked.seed_url:
        return (asked.seed_url,)
    if asked.seed_file is None:
        return ()
    try:
        lines = asked.seed_file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"--seed-file {asked.seed_file}: {error}; give a text file (UTF-8) with one address a line"
        ) from error
    urls = tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))
    if not urls:
        raise ConfigurationError(f"--seed-file {asked.seed_file}: no address there; one a line")
    return urls


@contextmanager
def _progress(count: int) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal; elsewhere nothing, not even the bar's label."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with click.progressbar(length=count, label="legs", file=sys.stderr) as bar:
        yield bar.update


@asynccontextmanager
async def _workshop(settings: Settings) -> AsyncIterator[Workshop]:
    """The world that was asked for."""
    if settings.world == WORLD:
        async with workshop() as shop:
            yield shop
        return
    from pytest_aar.generate.wiki import wiki_workshop  # noqa: PLC0415 - the sandbox needs none of it

    async with wiki_workshop(settings) as shop:
        yield shop


@asynccontextmanager
async def _with_author(shop: Workshop, asked: _Asked) -> AsyncIterator[Workshop]:
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
async def _hands(asked: _Asked) -> AsyncIterator[Hands | None]:
    """Several processes where that pays: in the sandbox world, which gives the same to each."""
    jobs = min(asked.jobs or os.cpu_count() or 1, asked.count)
    if asked.world != WORLD or asked.asks_model or jobs == 1 or asked.count <= _FEW:
        yield None
        return
    async with many_hands(jobs) as hands:
        yield hands


async def _made(asked: _Asked, wish: Wish, settings: Settings) -> None:
    """Make the legs with a progress bar; at the end, the set's figures and the rejects by reason."""
    async with (
        _workshop(settings) as plain,
        _with_author(plain, asked) as shop,
        _hands(asked) as hands,
    ):
        made: list[Made] = []
        with _progress(wish.count) as advance:
            async for each in make(wish, shop, _others(wish), hands=hands):
                made.append(each)
                advance(1)
        for each in made:
            note = " (kept)" if each.kept else ""
            click.echo(f"{each.path}: {len(each.leg.stops)} stops, digit {each.leg.digit}{note}")
        _tell(made, shop)


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
