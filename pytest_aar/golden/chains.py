"""Roadblock chains: placeholders resolved, calls made, the last output read."""

import re
from collections.abc import Sequence

from pytest_aar.leg import ChainStep, Value
from pytest_aar.leg.arithmetic import evaluate, operand_literals
from pytest_aar.leg.placeholders import resolve
from pytest_aar.readings import read

from .records import CallTool

_MERGED = re.compile(r"^\s*result\s*=\s*(?P<expression>.+?)\s*$", re.MULTILINE)


class ChainBroken(ValueError):
    """A chain that could not be run to its end."""


async def run_chain(chain: Sequence[ChainStep], call_tool: CallTool) -> Value:
    """The value that the chain's last call yields.

    Raises:
        ChainBroken: a call gave an error result, or its result lacks what the output key asks for.
    """
    outputs: dict[str, Value] = {}
    value: Value = ""
    for step in chain:
        try:
            arguments = resolve(step.arguments, outputs)
        except KeyError as error:
            raise ChainBroken(
                f"{step.tool} needs the output {error}, which no earlier call gave"
            ) from error
        reply = await call_tool(step.tool, arguments)
        if not reply.ok:
            raise ChainBroken(f"{step.tool} answered with an error: {reply.text[:200]}")
        key = step.output_key or ""
        try:
            value = read(key, reply.text)
        except ValueError as error:
            raise ChainBroken(f"{step.tool} gave no {key}: {error}") from error
        outputs[key] = value
    return value


def merge_expression(code: str) -> str | None:
    """The expression of a merge's code (`result = int(A) + int(B)`), None without one."""
    found = _MERGED.search(code)
    return found["expression"] if found else None


def substituted(code: str, values: Sequence[int | float]) -> str:
    """A merge's code with its literals replaced by `values`, in order.

    Raises:
        ChainBroken: the code is no merge of that many literals.
    """
    expression = merge_expression(code)
    literals = operand_literals(expression) if expression else ()
    if expression is None or len(literals) != len(values):
        raise ChainBroken(
            f"merge code holds {len(literals)} literals for {len(values)} branches: {code!r}"
        )
    evaluate(expression)  # refuses anything that is not plain arithmetic before it is rewritten
    fresh = iter(values)
    renewed = re.sub(
        r"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", lambda _: repr(next(fresh)), expression
    )
    return code.replace(expression, renewed, 1)
