"""The peer's half of `react_race.py`: inspect_ai with its mock model and 20 tool calls that return given bytes.

Runs in an environment that has inspect-ai 0.3.285: `python benchmarks/peer_inspect.py results.json SAMPLES`.
`results.json` is a list of 20 strings, the tools' results. Prints the CPU seconds of the evaluation alone.
Each mock output carries explicit `usage`, else the mock model downloads a tokenizer.
"""

import json
import sys
import tempfile
import time

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import Tool, tool


def _usage(output: ModelOutput) -> ModelOutput:
    output.usage = ModelUsage(input_tokens=100, output_tokens=20, total_tokens=120)
    return output


@tool
def lookup(results: list[str]) -> Tool:
    """A tool that answers with the n-th given text."""

    async def execute(n: int) -> str:
        """Look up one result.

        Args:
            n: Which result.
        """
        return results[n]

    return execute


def _check(log: EvalLog, samples: int, calls: int) -> None:
    if log.status != "success" or log.samples is None or len(log.samples) != samples:
        sys.exit(f"the peer's evaluation ended as {log.status}: {log.error}")
    made = sum(1 for message in log.samples[0].messages if message.role == "tool")
    if made != calls:
        sys.exit(f"the peer made {made} tool calls instead of {calls}")


def main(results_file: str, samples: int) -> None:
    """Evaluate `samples` equal samples and print the CPU seconds."""
    with open(results_file, encoding="utf-8") as file:
        results = json.load(file)
    outputs = [
        _usage(ModelOutput.for_tool_call("mockllm/model", "lookup", {"n": n}))
        for n in range(len(results))
    ]
    outputs.append(_usage(ModelOutput.from_content("mockllm/model", "7")))
    task = Task(
        dataset=[Sample(input="Race.", target="7") for _ in range(samples)],
        solver=[use_tools(lookup(results)), generate()],
        scorer=match(),
    )
    with tempfile.TemporaryDirectory() as logs:
        started = time.process_time()
        (log,) = eval(
            task,
            model=get_model("mockllm/model", custom_outputs=outputs * samples, memoize=False),
            log_dir=logs,
            display="none",
            max_samples=1,
        )
        spent = time.process_time() - started
        _check(log, samples, len(results))  # the log is read back lazily: while its folder exists
    print(json.dumps({"samples": samples, "cpu_seconds": spent}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
