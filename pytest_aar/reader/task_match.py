"""Whether a clue names what a stop's tools are asked for: markets, kinds of places, measures, factors."""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from pytest_aar.leg import ChainStep, PitStop, Roadblock

from .records import ReadStep

#: What tools are asked for that has no word of its own in their arguments, and how people call it.
_MEASURES: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "temperature": re.compile(r"temperature|warm|heat|\bhot\b|cold|thermometer|degrees"),
        "precipitation": re.compile(r"precipitation|\brain|\bwet\b"),
        "snowfall": re.compile(r"snow"),
        "sunshine": re.compile(r"\bsun"),
        "rating": re.compile(r"\brat(?:e[ds]?|ing)|\bstars?\b|\bscore|review|visitors"),
        "count": re.compile(r"how many|how long|number|count|tally|how (?:large|big)"),
    }
)
_MEASURE = re.compile(r"temperature|precipitation|snowfall|sunshine|rating|count$")
_FACTOR = re.compile(r"\* (\d+(?:\.\d+)?)\b")
_MARKETS = ("symbol", "ticker")


def names_task(stop: PitStop, step: ReadStep) -> bool:
    """Whether a roadblock's clue names what it must, as far as its chain shows it."""
    if not isinstance(stop, Roadblock):
        return True
    words = all(word.casefold() in step.text for call in stop.chain for word in _literals(call))
    kinds = (_MEASURE.search(_asked(call)) for call in stop.chain)
    return words and all(_MEASURES[kind.group()].search(step.text) for kind in kinds if kind)


def _literals(call: ChainStep) -> Iterator[str]:
    """What a clue can't but name as it stands: nothing earlier gives it."""
    yield from (str(call.arguments[name]) for name in _MARKETS if name in call.arguments)
    head, near, _ = str(call.arguments.get("query", "")).partition(" near ")
    if near:
        yield head
    yield from _FACTOR.findall(str(call.arguments.get("code", "")))


def _asked(call: ChainStep) -> str:
    chosen = call.arguments.get("select")
    return str(chosen) if chosen else call.output_key or ""
