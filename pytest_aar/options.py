"""The table of options: one row makes the command line option, its ini twin, and its line in the docs.

Only the standard library: `plugin` reads this at every start of pytest, whether legs are raced or not.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_aar import option_values as parsers
from pytest_aar.errors import ConfigurationError
from pytest_aar.levels import LEVELS, VARIANTS
from pytest_aar.option_values import Given
from pytest_aar.settings import ISOLATIONS, ONLY, RECORD_MODES, SERVICES, WORLDS_TOLD, Settings

JUNIT_PROPERTIES = ("testcase", "system-out", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option. `name` is `--aar-<name>` and, with underscores, the ini option `aar_<name>`.

    `parse` turns a `Given` into the value and raises ConfigurationError. `many`: may be repeated, one a
    line in ini. `field` is the setting it fills; `values` is what the docs say of valid values.
    """

    name: str
    help: str
    parse: Callable[[Given], Any]
    values: str
    default: str = ""
    metavar: str | None = None
    many: bool = False
    flag: bool = False
    field: str = ""

    @property
    def ini(self) -> str:
        """The name in ini files."""
        return f"aar_{self.name.replace('-', '_')}"

    @property
    def cli(self) -> str:
        """The name on the command line."""
        return f"--aar-{self.name}"

    @property
    def setting(self) -> str:
        """The attribute of `Settings`."""
        return self.field or self.name.replace("-", "_")


OPTIONS: tuple[Option, ...] = (
    Option(
        name="agent", parse=parsers.text, metavar="NAME",
        values="a short name, an entry point, or `package.module:Class`",
        help="agent that races the legs: golden, react, mini-swe, codex, claude-code, command, or "
        "package.module:Class",
    ),
    Option(
        name="agent-option", parse=parsers.pair, many=True, metavar="KEY=VALUE", field="agent_options",
        values="`key=value`", help="option for the agent, repeatable",
    ),
    Option(
        name="model", parse=parsers.text, metavar="NAME", values="a model's name, or `pacer`",
        help="model that the gateway asks for the agent; pacer is a scripted stand-in without a key",
    ),
    Option(
        name="model-option", parse=parsers.pair, many=True, metavar="KEY=VALUE", field="model_options",
        values="`key=value`", help="option put into each model request (temperature, seed, ...), repeatable",
    ),
    Option(
        name="base-url", parse=parsers.text, metavar="URL", values="a URL",
        help="base URL of the model's OpenAI-compatible API",
    ),
    Option(
        name="pacer", parse=parsers.text, metavar="SKILLS",
        values="`navigation=P,tools=P,arithmetic=P,seed=N`, P from 0 to 1",
        help="skills of the pacer, for example navigation=0.7,tools=0.9,arithmetic=0.95,seed=3",
    ),
    Option(
        name="world", parse=parsers.world, default="auto", metavar="WORLD",
        values=", ".join(f"`{each}`" if ":" in each else each for each in WORLDS_TOLD),
        help="what answers the tools: the embedded sandbox world, the live services, or Wikipedia from a ZIM file "
        "and all else live or from the sandbox; auto: by the leg's seed",
    ),
    Option(
        name="isolation", parse=parsers.one_of(ISOLATIONS), default="auto", metavar="BOX",
        values=", ".join(ISOLATIONS),
        help="box that the agent's programs run in; auto: the best that a probe proves to work here",
    ),
    Option(
        name="record", parse=parsers.one_of(RECORD_MODES), default="none", metavar="MODE",
        values=", ".join(RECORD_MODES),
        help="none replays only; once records what is missing; all records anew; off is live without "
        "cassettes; tools freezes the tools under a live model; diverged races diverged legs again, live",
    ),
    Option(
        name="strict-replay", parse=parsers.flag, flag=True, default="false", values="true, false",
        help="recorded interactions that a replayed race did not use are an error",
    ),
    Option(
        name="cassettes", parse=parsers.path, default="cassettes", metavar="DIR", values="a folder",
        help="folder of the recordings",
    ),
    Option(
        name="legs", parse=parsers.path, default="legs", metavar="DIR", values="a folder", field="legs_root",
        help="legs root: a leg's id is its path below this folder",
    ),
    Option(
        name="timeout", parse=parsers.between(0.001, 1e9, "seconds above 0"), default="600", metavar="SECONDS",
        values="seconds above 0", help="wall clock limit of one race",
    ),
    Option(
        name="max-steps", parse=parsers.steps, metavar="STEPS", values="budget, 3K, none, or a number",
        help="limit on model calls: budget is max(10, 1.5 K) for K pit stops; default: budget for react, else none",
    ),
    Option(
        name="max-race-tokens", parse=parsers.whole(1), metavar="N", values="a number from 1",
        help="limit on the tokens (input and output) of one race",
    ),
    Option(
        name="max-race-cost", parse=parsers.between(0.0, 1e9, "US dollars from 0"), metavar="USD",
        values="US dollars from 0", help="limit on the cost of one race's model calls",
    ),
    Option(
        name="max-tokens", parse=parsers.whole(1), metavar="N", values="a number from 1",
        help="limit on the tokens of the whole run, over all workers; legs left over are skipped",
    ),
    Option(
        name="max-cost", parse=parsers.between(0.0, 1e9, "US dollars from 0"), metavar="USD",
        values="US dollars from 0",
        help="limit on the cost of the whole run, over all workers; legs left over are skipped",
    ),
    Option(
        name="prices", parse=parsers.file, metavar="FILE", values="a file",
        help="JSON table of model prices in place of the built-in one",
    ),
    Option(
        name="repeat", parse=parsers.whole(1), default="1", metavar="N", values="a number from 1",
        help="races of each leg",
    ),
    Option(
        name="level", parse=parsers.text, many=True, metavar="LEVEL", field="levels",
        values=f"{', '.join(LEVELS)}, or a level of your own legs",
        help="race only legs of this level, repeatable",
    ),
    Option(
        name="variant", parse=parsers.one_of(VARIANTS), many=True, metavar="VARIANT", field="variants",
        values=", ".join(VARIANTS), help="race only legs of this variant, repeatable",
    ),
    Option(
        name="only", parse=parsers.one_of(ONLY), many=True, metavar="CLASS", values=", ".join(ONLY),
        help="race only legs of this class, repeatable; valid: those whose digit can still be found (`aar validity`)",
    ),
    Option(
        name="sample", parse=parsers.whole(1), metavar="N", values="a number from 1",
        help="race only N legs, drawn evenly over variants and levels",
    ),
    Option(
        name="seed", parse=parsers.whole(0), default="0", metavar="N", values="a number from 0",
        help="seed of --aar-sample",
    ),
    Option(
        name="results", parse=parsers.path, default=".aar/runs/<id>", metavar="DIR", values="a folder",
        help="folder of this run's results",
    ),
    Option(
        name="resume", parse=parsers.flag, flag=True, default="false", values="true, false",
        help="go on with the run in the folder of --aar-results: only what it lacks is raced",
    ),
    Option(
        name="gate", parse=parsers.text, many=True, metavar="RULE",
        values="`fa >= x`, `pvr[dag] >= x`, `rcr[easy] >= x`, `errors <= n`, `errors <= p %`",
        help="rule that decides the exit status in place of single lost races, repeatable",
    ),
    Option(
        name="baseline", parse=parsers.file, metavar="FILE", values="a file",
        help="baseline to print changes against (written by `aar baseline save`)",
    ),
    Option(
        name="error-threshold", parse=parsers.between(0.0, 1.0, "a number from 0 to 1"), default="0.5",
        metavar="RATE", values="a number from 0 to 1",
        help="lost races with PVR below it are navigation errors, else with RCR below it tool errors",
    ),
    Option(
        name="infra-retries", parse=parsers.whole(0), default="1", metavar="N", values="a number from 0",
        help="how often a race is run again after an infrastructure error",
    ),
    Option(
        name="tool-output", parse=parsers.whole(1), default="8000", metavar="CHARACTERS",
        values="a number from 1", field="tool_characters",
        help="characters of a tool result that the agent gets (pages: 100,000)",
    ),
    Option(
        name="prompt", parse=parsers.file, metavar="FILE", values="a file",
        help="template of the agents' prompt in place of the built-in one",
    ),
    Option(
        name="show-golden", parse=parsers.flag, flag=True, default="false", values="true, false",
        help="write golden digits into reports and results",
    ),
    Option(
        name="junit-properties", parse=parsers.one_of(JUNIT_PROPERTIES), default="testcase", metavar="WHERE",
        values=", ".join(JUNIT_PROPERTIES),
        help="where JUnit XML holds the figures of a race: as properties of the testcase, in its "
        "system-out (set junit_logging, too), or nowhere",
    ),
    Option(
        name="contact", parse=parsers.text, metavar="ADDRESS", values="an address or URL",
        help="who operates this: sent in the User-Agent to live services, which ask for it",
    ),
    Option(
        name="wiki-at", parse=parsers.wiki_at, metavar="WHEN",
        values="`generated`, a day (`2026-03-20`, its end in UTC), or a time (`2026-03-20T12:00:00Z`)",
        help="articles of the live Wikipedia as they were then; generated: when the leg was made",
    ),
    Option(
        name="services", parse=parsers.service, many=True, metavar="SERVICE=URL",
        values=f"`service=URL`, service: {', '.join(SERVICES)}",
        help="base URL of a live service in place of its public one (a mirror, a proxy), repeatable",
    ),
    Option(
        name="limits", parse=parsers.limit, many=True, metavar="SERVICE=LIMITS",
        values="`service=N/s`, `N/min`, `N/h`, `N/day`, `N parallel` (several with commas), or `off`",
        help="how often a live service is asked, over all workers, in place of the polite default, repeatable",
    ),
    Option(
        name="page-cache", parse=parsers.one_of(("run", "off")), default="run", metavar="FOR",
        values="run, off",
        help="whether the live pages that a run has read are kept for it, so that its workers ask for each once",
    ),
    Option(
        name="python-tool", parse=parsers.on_off, default="on", metavar="WHETHER", values="on, off",
        help="whether python_execute_code runs code; off: it answers with a denied error",
    ),
)  # fmt: skip


#: Options whose values are pairs make a mapping.
_PAIRS = (parsers.pair, parsers.service, parsers.limit)


def settings_from(given: Mapping[str, tuple[Given, ...]]) -> Settings:
    """Settings of the raw values by option name; what is absent keeps the default of `Settings`.

    Raises ConfigurationError for the first bad value, naming the option and what is valid.
    """
    chosen: dict[str, Any] = {}
    for option in OPTIONS:
        values = [option.parse(value) for value in given.get(option.name, ())]
        if option.parse in _PAIRS:
            _check_once(values, given.get(option.name, ()))
        if values:
            chosen[option.setting] = _collected(option, values)
    return Settings(**chosen)


def _check_once(pairs: list[tuple[str, str]], given: tuple[Given, ...]) -> None:
    """One ini file says one thing of a name; on the command line the last counts, as for all options."""
    values: dict[str, str] = {}
    for (name, value), each in zip(pairs, given, strict=True):
        if name in values and each.source.startswith("ini option"):
            raise ConfigurationError(
                f"{each.source}: {name!r} is there twice, as {values[name]!r} and as {value!r}: leave one line"
            )
        values[name] = value


def _collected(option: Option, values: list[Any]) -> Any:
    if not option.many:
        return values[-1]
    return dict(values) if option.parse in _PAIRS else tuple(values)


def table() -> str:
    """The table of docs/options.md."""
    rows = ["| option | ini | values | default | meaning |", "|---|---|---|---|---|"]
    rows += [
        f"| `{option.cli}` | `{option.ini}` | {option.values} | {_shown_default(option)} | {option.help} |"
        for option in OPTIONS
    ]
    return "\n".join(rows)


def _shown_default(option: Option) -> str:
    return f"`{option.default}`" if option.default else "-"
