"""One frozen object with every setting of a run; `plugin` fills it from options and ini, `cli` from its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

RecordMode = Literal["none", "once", "all", "off", "tools", "diverged"]
RECORD_MODES: tuple[RecordMode, ...] = ("none", "once", "all", "off", "tools", "diverged")
WORLDS = ("auto", "sandbox", "live")
#: What the name of a world of a ZIM file begins with, and what may end it.
ZIM, WITH_SANDBOX = "zim:", "+sandbox"
#: All worlds as messages and help name them, without `auto`: that takes a leg to go by.
WORLDS_WITHOUT_LEG = (*WORLDS[1:], f"{ZIM}PATH", f"{ZIM}PATH{WITH_SANDBOX}")
WORLDS_TOLD = (WORLDS[0], *WORLDS_WITHOUT_LEG)
#: In front of a base URL of `wikipedia`: what answers there is a Kiwix server, not a MediaWiki.
KIWIX = "kiwix+"
ISOLATIONS = ("auto", "bwrap", "none")
#: Classes of legs that a run can be confined to; `valid` is the two stable ones.
ONLY = ("valid", "stable", "stable-if-pinned", "drifting", "faulty")
#: What stands for several services: their base URLs are chosen at once, and they have its limits.
SERVICE_GROUPS: Mapping[str, tuple[str, ...]] = {
    "maps": ("geocoding", "places", "routes"),
    "weather": ("weather_archive", "weather_forecast"),
}
#: Service -> the one that answers where it can't.
STAND_INS: Mapping[str, str] = {
    "countries": "world_bank",
    "stocks": "stocks_second",
    "crypto": "coingecko",
}
#: Services whose base URL can be chosen.
SERVICES = (
    *("wikipedia", "search", "geocoding", "places", "routes"),
    *("weather_archive", "weather_forecast", "countries", "stocks", "crypto"),
    *("stocks_second", "world_bank", "coingecko", "tavily", "brave", "searxng"),
    *SERVICE_GROUPS,
)

#: Characters of a tool result that the agent gets; the trace keeps the full text.
PAGE_CHARACTERS = 100_000
TOOL_CHARACTERS = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ZimChoice:
    """A world `zim:PATH`: Wikipedia from the file, all else live or, with `+sandbox` at its end, from the sandbox."""

    path: Path
    with_sandbox: bool

    @property
    def name(self) -> str:
        """The world's whole name."""
        return f"{ZIM}{self.path}{WITH_SANDBOX if self.with_sandbox else ''}"

    @property
    def label(self) -> str:
        """The name without the folder, which is another one on each machine: for results."""
        return f"{ZIM}{self.path.name}{WITH_SANDBOX if self.with_sandbox else ''}"


def zim_choice(world: str) -> ZimChoice | None:
    """What a world's name says of a ZIM file; None for the worlds without one."""
    if not world.startswith(ZIM):
        return None
    path = world.removeprefix(ZIM)
    return ZimChoice(
        path=Path(path.removesuffix(WITH_SANDBOX)), with_sandbox=path.endswith(WITH_SANDBOX)
    )


def world_label(world: str) -> str:
    """A world's name as headers and results have it: without folders."""
    choice = zim_choice(world)
    return world if choice is None else choice.label


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a run was asked to do. Times in seconds; `max_steps` is "budget", "3K", "none" or a number's text.

    `max_race_tokens` and `max_race_cost` (US dollars) bound one race, `max_tokens` and `max_cost` the whole
    run, over all workers. `resume` takes over what the results folder already holds. `wiki_at` is "generated" or a
    time ("2026-03-20T23:59:59Z").
    """

    agent: str | None = None
    agent_options: Mapping[str, str] = field(default_factory=dict)
    model: str | None = None
    model_options: Mapping[str, str] = field(default_factory=dict)
    base_url: str | None = None
    pacer: str = ""
    world: str = "auto"
    isolation: str = "auto"
    record: RecordMode = "none"
    strict_replay: bool = False
    legs_root: Path = Path("legs")
    cassettes: Path = Path("cassettes")
    results: Path | None = None
    timeout: float = 600.0
    max_steps: str | None = None
    max_race_tokens: int | None = None
    max_race_cost: float | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    prices: Path | None = None
    resume: bool = False
    repeat: int = 1
    tool_characters: int = TOOL_CHARACTERS
    prompt: Path | None = None
    levels: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    sample: int | None = None
    seed: int = 0
    gate: tuple[str, ...] = ()
    baseline: Path | None = None
    error_threshold: float = 0.5
    infra_retries: int = 1
    show_golden: bool = False
    junit_properties: str = "testcase"
    contact: str | None = None
    services: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, str] = field(default_factory=dict)
    page_cache: str = "run"
    python_tool: bool = True
    wiki_at: str | None = None

    @property
    def answer_folders(self) -> tuple[Path, ...]:
        """Folders that hold answers, which no agent may see: legs, recordings, results."""
        given = (self.legs_root, self.cassettes, self.results)
        return tuple(path for path in given if path is not None)
