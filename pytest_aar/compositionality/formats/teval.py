"""T-Eval's plans: `ground_truth` lists actions, each with the ids of those before it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import TypeAdapter
from typing_extensions import TypedDict  # pydantic refuses typing's before Python 3.12

from pytest_aar.compositionality.entries import Entry, Layout, checked, read_entries
from pytest_aar.compositionality.records import Fault, Reading, ToolGraph

_FINISH = "FinishAction"


class _Action(TypedDict):
    id: int | str
    prev: list[int | str]
    name: str


class _Plan(TypedDict):
    ground_truth: list[_Action]


_PLAN = TypeAdapter(_Plan)


def read(paths: Sequence[Path]) -> Reading:
    """The plans in files such as `plan_json_v1.json`; the same plans in another wording count once."""
    return read_entries(paths, _LAYOUT)


def _entries(found: object, file: Path) -> list[Entry] | None:
    if not isinstance(found, Mapping) or not any(map(_has_plan, found.values())):
        return None
    return [Entry(instance=name, where=str(file), raw=raw) for name, raw in found.items()]


def _has_plan(raw: object) -> bool:
    return isinstance(raw, Mapping) and isinstance(raw.get("ground_truth"), list)


def _graph(entry: Entry) -> ToolGraph | Fault:
    plan = checked(_PLAN, entry)
    if isinstance(plan, Fault):
        return plan
    actions = plan["ground_truth"]
    places = {action["id"]: place for place, action in enumerate(actions)}
    if len(places) < len(actions):
        return entry.fault("repeated step", "two actions have one id")
    unknown = [before for each in actions for before in each["prev"] if before not in places]
    if unknown:
        return entry.fault("dangling reference", f"no action has the id {unknown[0]!r}")
    return entry.graph(
        len(actions),
        ((places[before], places[each["id"]]) for each in actions for before in each["prev"]),
        finish=(place for place, each in enumerate(actions) if each["name"] == _FINISH),
    )


_LAYOUT = Layout(
    title="T-Eval",
    holds="an object of plans, each with a list `ground_truth` of actions (id, prev, name)",
    entries=_entries,
    graph=_graph,
)
