"""The pacer's plan for one race: which fault, if any, and the actions that carry it out."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pytest_aar.leg import Leg, Roadblock, StopKind, kind_of, topological_order
from pytest_aar.leg.placeholders import references
from pytest_aar.score import ErrorClass

from .route import Action, golden_actions, page_title, search
from .skills import Dice, Skills

#: Tools that roads between pages need as well: leaving them out would be a navigation fault.
_ROAD_TOOLS = frozenset({"fetch_webpage", "web_search"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One injected fault: the stop, its kind in the paper's words, what is done instead."""

    stop: int
    kind: StopKind
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PacerPlan:
    """What the pacer does in one race, as plain data: `faults` in topological order, empty when `correct`."""

    error_class: ErrorClass
    digit: int
    actions: tuple[Action, ...]
    faults: tuple[Fault, ...]


_Spoiled = tuple[list[Action], list[Fault]]


def plan(leg: Leg, skills: Skills, repeat: int = 1) -> PacerPlan:
    """The plan of one race; the same leg id, skills and repeat give the same plan anywhere."""
    dice = skills.dice(leg.leg_id, repeat)
    actions = golden_actions(leg)
    failed = _failed_class(skills, dice)
    if failed is None:
        return _with_answer(leg, "correct", (actions, []), leg.digit)
    spoilers: dict[ErrorClass, Callable[[Leg, list[Action], Dice], _Spoiled | None]] = {
        "navigation": _spoil_navigation,
        "tool use": _spoil_tools,
        "computation": _spoil_digit,
    }
    classes = list(spoilers)
    for error_class in classes[classes.index(failed) :]:
        spoiled = spoilers[error_class](leg, actions, dice)
        if spoiled is not None:
            others = [digit for digit in range(10) if digit != leg.digit]
            return _with_answer(leg, error_class, spoiled, dice.pick(others, "digit"))
    raise AssertionError("a wrong digit fits every leg")


def _failed_class(skills: Skills, dice: Dice) -> ErrorClass | None:
    if dice.unit("navigation") >= skills.navigation:
        return "navigation"
    if dice.unit("tools") >= skills.tools:
        return "tool use"
    if dice.unit("arithmetic") >= skills.arithmetic:
        return "computation"
    return None


def _with_answer(leg: Leg, error_class: ErrorClass, spoiled: _Spoiled, digit: int) -> PacerPlan:
    actions, faults = spoiled
    rank = {index: place for place, index in enumerate(topological_order(leg))}
    faults = sorted(faults, key=lambda fault: rank[fault.stop])
    answer = Action(kind="answer", stop=leg.finish.index, arguments={"digit": digit})
    return PacerPlan(
        error_class=error_class, digit=digit, actions=(*actions, answer), faults=tuple(faults)
    )


def _spoil_navigation(leg: Leg, actions: list[Action], dice: Dice) -> _Spoiled | None:
    """A sibling instead of each of a random majority of the golden pages: PVR falls below a half."""
    titles = list(dict.fromkeys(filter(None, map(page_title, leg.route_infos))))
    if not titles:
        return None
    missed = _pages_to_miss(titles, dice)
    stops = [stop for stop in leg.route_infos if page_title(stop) in missed]
    indexes = {stop.index for stop in stops}
    spoiled = [
        replace(action, kind="sibling")
        if action.kind == "fetch" and action.stop in indexes
        else action
        for action in actions
    ]
    faults = [
        Fault(stop=stop.index, kind=kind_of(stop), how=f"a sibling page instead of {stop.page_url}")
        for stop in stops
    ]
    return _with_a_place_to_start(leg, spoiled), faults


def _pages_to_miss(titles: list[str], dice: Dice) -> set[str]:
    """A random majority; without the first page, where siblings are found, if there are enough others."""
    least = len(titles) // 2 + 1
    choices = titles[1:] if least < len(titles) else titles
    count = least + dice.below(len(choices) - least + 1, "pages missed")
    return set(dice.shuffled(choices, "which pages")[:count])


def _with_a_place_to_start(leg: Leg, actions: list[Action]) -> list[Action]:
    """A sibling is found in an earlier result: if the very first page is missed, search for it first."""
    if actions[0].kind != "sibling":
        return actions
    return [search(actions[0].stop, f"places like {leg.seed_title}"), *actions]


def _spoil_tools(leg: Leg, actions: list[Action], dice: Dice) -> _Spoiled | None:
    """Whole tool names left out until most roadblocks lack one.

    Wrong arguments alone would not do: by the authors' rule a roadblock is complete when the names of
    its chain occur anywhere in the trace.
    """
    left_out = _names_to_leave_out(leg.roadblocks, dice)
    if left_out is None:
        return None
    spoiled = [action for action in actions if action.tool not in left_out]
    faults = []
    for roadblock in leg.roadblocks:
        names = [step.tool for step in roadblock.chain]
        if left_out.isdisjoint(names):
            continue
        spoiled, how = _spoil_chain(spoiled, roadblock.index, dice)
        missing = ", ".join(dict.fromkeys(name for name in names if name in left_out))
        how = f"{missing} never called{how}"
        faults.append(Fault(stop=roadblock.index, kind=kind_of(roadblock), how=how))
    return spoiled, faults


def _names_to_leave_out(roadblocks: tuple[Roadblock, ...], dice: Dice) -> set[str] | None:
    chains = [{step.tool for step in roadblock.chain} for roadblock in roadblocks]
    names = sorted(set().union(*chains) - _ROAD_TOOLS)
    left_out: set[str] = set()
    for name in dice.shuffled(names, "which tools"):
        left_out.add(name)
        complete = sum(left_out.isdisjoint(chain) for chain in chains)
        if 2 * complete < len(chains):
            return left_out
    return None


def _spoil_chain(actions: list[Action], stop: int, dice: Dice) -> tuple[list[Action], str]:
    """What is left of a spoiled chain: nothing, or its calls with wrong arguments."""
    rest = [action for action in actions if action.kind == "call" and action.stop == stop]
    can_be_wrong = rest and not any(references(action.arguments) for action in rest)
    if not can_be_wrong or dice.unit(f"skip {stop}") < 0.5:  # noqa: PLR2004 - a fair coin
        return [
            action for action in actions if action not in rest
        ], ", nor the rest" if rest else ""
    wrong = [
        replace(action, kind="wrong call", arguments=_wrong(action.arguments))
        if action in rest
        else action
        for action in actions
    ]
    return wrong, ", the rest with wrong arguments"


def _wrong(arguments: Any) -> Any:
    """Arguments of the same types that ask for something else."""
    if isinstance(arguments, dict):
        return {key: _wrong(value) for key, value in arguments.items()}
    if isinstance(arguments, list | tuple):
        return [_wrong(value) for value in arguments]
    if isinstance(arguments, bool) or arguments is None:
        return arguments
    if isinstance(arguments, int | float):
        return arguments + 1
    return "Reykjavik" if isinstance(arguments, str) else arguments


def _spoil_digit(leg: Leg, actions: list[Action], _: Dice) -> _Spoiled:
    kind = kind_of(leg.finish)
    fault = Fault(stop=leg.finish.index, kind=kind, how="a wrong digit, all else right")
    return actions, [fault]
