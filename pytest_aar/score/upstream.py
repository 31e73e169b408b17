"""The fields of the authors' `reward.json`, for comparison with their own verifier."""

from collections.abc import Mapping
from typing import Any

from pytest_aar.leg import ChainStep, Leg
from pytest_aar.leg.placeholders import PLACEHOLDERS
from pytest_aar.trace import Finish, ToolCall, Trace

from .arguments import as_text
from .pages import pages_of
from .roadblocks import names_called, paper_complete, share, types_used
from .values import values_seen


def upstream_compat(leg: Leg, trace: Trace, finish: Finish) -> dict[str, Any]:
    """What the authors' verifier reports of a race, by their definitions where they are known.

    `right_tool_calls` counts golden calls of whose tool some call agrees by substring in every
    argument that both have: an argument that the agent left out is not compared.
    """
    names = names_called(trace)
    pages = pages_of(leg, trace, None)
    visited = {name for index, name in pages.page.items() if pages.visited[index]}
    seen, values = values_seen(leg, trace)
    chain = [step for roadblock in leg.roadblocks for step in roadblock.chain]
    correct = int(finish.answer == leg.digit)
    return {
        "reward": float(correct),
        "answer": finish.answer,
        "answer_correct": bool(correct),
        "pages_visited": len(visited),
        "pages_total": len(set(pages.page.values())),
        "page_visit_rate": pages.rate(pages.page),
        "tools_used": types_used(leg, names),
        "tool_completion_rate": share(leg.roadblocks, lambda r: paper_complete(r, names)),
        "right_tool_calls": sum(_called(step, trace.tool_calls) for step in chain),
        "golden_chain_length": len(chain),
        "intermediate_correct": seen,
        "intermediate_total": values,
        "total_tool_calls": len(trace.tool_calls),
        "valid_tool_calls": sum(call.ok for call in trace.tool_calls),
    }


def _called(step: ChainStep, calls: tuple[ToolCall, ...]) -> bool:
    return any(call.name == step.tool and _agrees(step, call.arguments) for call in calls)


def _agrees(step: ChainStep, given: Mapping[str, Any]) -> bool:
    for name, golden in step.arguments.items():
        if name in PLACEHOLDERS or name not in given:
            continue
        one, other = str(golden).casefold(), as_text(given[name]).casefold()
        if one not in other and other not in one:
            return False
    return True
