"""What a program said, as a box gives it."""

import json

from pytest_aar.box import CommandResult


def result(*lines: object, exit_code: int = 1, **more: object) -> CommandResult:
    text = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    return CommandResult(output="\n".join(text) + "\n", exit_code=exit_code, **more)  # type: ignore[arg-type]
