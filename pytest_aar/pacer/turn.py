"""The pacer's next turn: an action of the plan with its arguments resolved from the trace so far."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from pytest_aar.leg import Leg, Value
from pytest_aar.leg.placeholders import PLACEHOLDERS, resolve
from pytest_aar.readings import read
from pytest_aar.score import canonical_title
from pytest_aar.trace import ToolCall, Trace

from .plan import PacerPlan
from .route import Action
from .skills import Dice

#: Links to articles in a result, absolute or not; parentheses belong to a title only in pairs.
_LINK = re.compile(r"(?:https?://[\w.:-]+)?/wiki/(?:[^\s()\[\]<>\"|]|\([^\s()]*\))+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What the model says at one turn: a tool call, or the digit (then `tool` is empty).

    `is_over`: the digit was given before this turn.
    """

    number: int
    tool: str
    arguments: Mapping[str, Any]
    digit: int
    is_over: bool = False


def next_turn(plan: PacerPlan, leg: Leg, number: int, trace: Trace, dice: Dice) -> Turn:
    """The turn after `number` earlier ones; past the end the answer is given again."""
    place = min(number, len(plan.actions) - 1)
    action = plan.actions[place]
    if action.kind == "answer":
        return Turn(number=number, tool="", arguments={}, digit=plan.digit, is_over=number > place)
    calls = trace.tool_calls[:place]
    if action.kind == "sibling":
        arguments: Mapping[str, Any] = {"url": _sibling(leg, calls, dice, place)}
    else:
        arguments = _resolved(action, plan.actions[:place], calls)
    return Turn(number=number, tool=action.tool, arguments=arguments, digit=plan.digit)


def _resolved(
    action: Action, before: Sequence[Action], calls: Sequence[ToolCall]
) -> Mapping[str, Any]:
    """Placeholders filled from this stop's earlier calls. What can't be read makes a call without it."""
    if not any(name in PLACEHOLDERS for name in action.arguments):
        return action.arguments
    outputs: dict[str, Value] = {}
    for earlier, call in zip(before, calls, strict=False):
        if earlier.stop == action.stop and earlier.output_key and call.ok:
            try:
                outputs[earlier.output_key] = read(earlier.output_key, call.text)
            except ValueError:
                continue  # the tool said something else: the call below will say so in the trace
    try:
        return resolve(action.arguments, outputs)
    except (KeyError, ValueError):
        return {name: value for name, value in action.arguments.items() if name not in PLACEHOLDERS}


def _sibling(leg: Leg, calls: Sequence[ToolCall], dice: Dice, place: int) -> str:
    """A page that an earlier result links to, the latest first, and that is no golden page."""
    golden = {canonical_title(stop.page_url) for stop in leg.route_infos if stop.page_url}
    golden.add(canonical_title(leg.seed_url))
    for call in reversed(calls):
        found = _pages(call.text, leg.seed_url, golden)
        if found:
            return dice.pick(found, f"sibling {place}")
    # Nothing links anywhere: a page beside the seed that no golden page can be.
    return f"{leg.seed_url.partition('#')[0]}_(disambiguation)"


def _pages(text: str, seed_url: str, golden: set[str]) -> list[str]:
    """The articles of the seed's wiki that a result links to, the golden ones left out."""
    host = urlsplit(seed_url).hostname
    pages: dict[str, str] = {}
    for link in _LINK.findall(text):
        url = urljoin(seed_url, link).partition("#")[0]
        parts = urlsplit(url)
        is_article = ":" not in parts.path and not parts.query
        if parts.hostname == host and is_article:
            pages.setdefault(canonical_title(url), url)
    return [url for title, url in pages.items() if title not in golden]
