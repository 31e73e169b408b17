"""One frozen object with every setting of a run; `plugin` fills it from options and ini, `cli` from its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

RecordMode = Literal["none", "once", "all", "off", "tools", "diverged"]
RECORD_MODES: tuple[RecordMode, ...] = ("none", "once", "all", "off", "tools", "diverged")
WORLDS = ("auto", "sandbox", "live")
ISOLATIONS = ("auto", "bwrap", "none")
#: Services whose base URL can be chosen; maps and weather stand for all of theirs.
SERVICES = (
    *("wikipedia", "search", "geocoding", "places", "routes"),
    *("weather_archive", "weather_forecast", "countries", "stocks", "crypto"),
    *("maps", "weather"),
)

#: Characters of a tool result that the agent gets; the trace keeps the full text.
PAGE_CHARACTERS = 100_000
TOOL_CHARACTERS = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a run was asked to do. Times in seconds; `max_steps` is "budget", "3K", "none" or a number's text.

    `max_race_tokens` and `max_race_cost` (US dollars) bound one race, `max_tokens` and `max_cost` the whole
    run, over all workers. `resume` takes over what the results folder already holds.
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
    python_tool: bool = True

    @property
    def answer_folders(self) -> tuple[Path, ...]:
        """Folders that hold answers, which no agent may see: legs, recordings, results."""
        given = (self.legs_root, self.cassettes, self.results)
        return tuple(path for path in given if path is not None)
