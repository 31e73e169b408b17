"""What the command line of `aar generate` asks for: its options as a record, and the wish that they make."""

from dataclasses import dataclass
from pathlib import Path

import click

from pytest_aar.errors import ConfigurationError
from pytest_aar.generate.level_file import levels_in, ranges_of
from pytest_aar.generate.levels import LEVELS, Level
from pytest_aar.generate.order import Wish

LLM = "llm"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
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
        return LLM in (self.planner, self.verbalizer)


def wish_of(asked: Asked) -> Wish:
    """The legs that are asked for.

    Raises:
        click.UsageError: options that don't go together, or a level that is none.
        ConfigurationError: a file that an option names is not as it should be.
    """
    if sum(map(bool, (asked.seed_url, asked.random_seeds, asked.seed_file))) > 1:
        raise click.UsageError("give one of --seed-url, --random-seeds, --seed-file, not both")
    level = _level(asked)
    places = _in_file(asked.seed_file) if asked.seed_file else {}
    return Wish(
        variant=asked.variant,
        level=level,
        count=asked.count,
        rng_seed=asked.rng_seed,
        out=asked.out,
        smoke=asked.smoke,
        seed_urls=(asked.seed_url,) if asked.seed_url else tuple(places.values()),
        places={url: place for place, url in places.items()},
        asked={**_own_level(level), **_authors(asked)},
    )


def _own_level(level: Level) -> dict[str, str]:
    return {} if LEVELS.get(level.name) is level else {"levels": ranges_of(level)}


def _authors(asked: Asked) -> dict[str, str]:
    """Who plans and words where that is a model: it is written into the legs."""
    if asked.asks_model and not asked.model:
        raise click.UsageError("--planner llm and --verbalizer llm need --model NAME")
    who = {"planner": asked.planner, "verbalizer": asked.verbalizer}
    return {part: f"llm:{asked.model}" for part, choice in who.items() if choice == LLM}


def _level(asked: Asked) -> Level:
    known = LEVELS if asked.levels is None else levels_in(asked.levels)
    if asked.difficulty not in known:
        raise click.UsageError(
            f"--difficulty: {asked.difficulty!r} is no level; valid: {', '.join(known)}"
        )
    return known[asked.difficulty]


def _in_file(file: Path) -> dict[str, str]:
    """Where in the file each address stands -> the address; empty lines and those with # are left out."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"--seed-file {file}: {error}; give a text file (UTF-8) with one address a line"
        ) from error
    found = {
        f"--seed-file {file}, line {number}:": line.strip()
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.startswith("#")
    }
    if not found:
        raise ConfigurationError(f"--seed-file {file}: no address there; one a line")
    return found
