"""The two tools on code: run it somewhere safe, have a model write it."""

from pytest_aar.tools.arguments import PythonExecuteCode, PythonGenerateCode
from pytest_aar.tools.result import ToolFailure, ToolResult, answer
from pytest_aar.tools.services import PythonRun, Services

#: What the text says whatever the run was: the least that code may count on. The text must be the same with and
#: without walls, a conversation recorded on one machine replays on another; `details` say what it was.
_PROMISED = "weak"


async def execute(arguments: PythonExecuteCode, services: Services) -> ToolResult:
    """`{stdout, stderr, exit_code, isolation}`; failing code is a good result.

    A stream of which too much was printed has a field of its own, such as `stdout_cut_bytes`.
    """
    if services.python is None:
        raise ToolFailure("denied", "running Python is turned off here (aar_python_tool=off)")
    run = await services.python.run(arguments.code, timeout_seconds=arguments.timeout_seconds)
    if run.timed_out:
        raise ToolFailure(
            "timeout",
            f"the code was stopped after {arguments.timeout_seconds:g} s;"
            f" it had printed {run.stdout[:1000]!r}",
            isolation=run.isolation,
        )
    return answer(_shape(run), isolation=run.isolation)


async def generate(arguments: PythonGenerateCode, services: Services) -> ToolResult:
    """`{code}`, as a model wrote it."""
    if services.write_code is None:
        raise ToolFailure(
            "denied",
            "no model writes code here: this tool needs a race with a model (--aar-model);"
            " write the code yourself and run it with python_execute_code",
        )
    code = await services.write_code(
        arguments.description, arguments.model, arguments.extra_instructions
    )
    return answer({"code": code})


def _shape(run: PythonRun) -> dict[str, str | int]:
    cut = {"stdout_cut_bytes": run.stdout_cut_bytes, "stderr_cut_bytes": run.stderr_cut_bytes}
    return {
        "stdout": run.stdout,
        "stderr": run.stderr,
        "exit_code": run.exit_code,
        "isolation": _PROMISED,
        **{name: size for name, size in cut.items() if size},
    }
