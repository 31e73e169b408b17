"""What is wanted of the generator, and where it works."""

from collections import Counter
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from .draft import Ask, Atlas, CallTool
from .levels import Level

#: Written into each leg: raise the number when the same seed would give other legs.
GENERATOR = "pytest-aar/4"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What legs are wanted, and of which world: `seeds` are the titles that a race may start on.

    They stand in groups, each as likely as the others. `asked` is what of the request is written into
    every leg beside the seed: legs of another request are others. The first `smoke` legs are marked as a small
    set of their own.
    """

    world: str
    world_hash: str
    generated_at: str
    variant: str
    level: Level
    rng_seed: int
    seeds: tuple[tuple[str, ...], ...]
    wiki: str
    asked: Mapping[str, str] = field(default_factory=dict)
    smoke: int = 0

    @property
    def has_given_seeds(self) -> bool:
        """Whether the pages to start on were asked for."""
        return any(key.startswith("asked_seed") for key in self.asked)

    @property
    def key(self) -> str:
        """What every seeded choice of this order begins with."""
        return f"{self.world_hash}/{self.variant}/{self.level.name}/{self.rng_seed}"

    def leg_id(self, number: int) -> str:
        """The id of leg `number`, from 1."""
        return f"{self.variant}/{self.level.name}/{number:03}"

    def is_smoke(self, number: int) -> bool:
        """Whether leg `number`, from 1, is one of the small set."""
        return number <= self.smoke


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a user asks for: `seed_urls` are the pages to start on, in turn; empty for random ones.

    `asked` is more of the request that is to be written into the legs. The first `smoke` legs are marked. `places`
    tell where an address was given, if not by `--seed-url`.
    """

    variant: str
    level: Level
    count: int
    rng_seed: int
    out: Path
    seed_urls: tuple[str, ...] = ()
    asked: Mapping[str, str] = field(default_factory=dict)
    smoke: int = 0
    places: Mapping[str, str] = field(default_factory=dict)


class Authoring(Protocol):
    """Asks a model for one leg of an order."""

    def of_leg(self, order: Order, number: int) -> AbstractAsyncContextManager[Ask]:
        """Asks until the block ends."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """Where legs are made: a world's pages and tools, and the tally of rejected drafts by reason.

    `world_hash` and `date` go into every leg. `wiki` is what the addresses of its pages begin with;
    `seeds` are groups of titles that a race may start on, `is_whole`: all that there are.
    A place may be found up to `degrees` away from where its page says that it is. `author` asks the
    model that plans or words, None without one.
    """

    world: str
    world_hash: str
    date: str
    wiki: str
    atlas: Atlas
    call_tool: CallTool
    seeds: tuple[tuple[str, ...], ...] = ()
    is_whole: bool = False
    degrees: float = 0.02
    author: Authoring | None = None
    rejects: Counter[str] = field(default_factory=Counter)
