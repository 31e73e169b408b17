"""Reading recorded replies through the tools: what the contract test modules share.

Each module `test_*_replies.py` has `READ`, the files that its tests read (as INDEX.tsv names them), and
may have `NOT_A_REPLY`, file -> why no tool reads it. `ask` refuses files that are not in `READ`.
"""

import json
from collections.abc import Callable
from typing import Any

from pytest_aar.tools import ToolResult

#: (file, tool, arguments, *, status=200, **headers) -> the tool's result on that recorded reply.
Asked = Callable[..., ToolResult]
#: file, HTTP status, tool, arguments, error kind, a part of the message
ErrorCase = tuple[str, int, str, dict[str, Any], str, str]


def value(result: ToolResult) -> Any:
    assert result.ok, result.text
    return json.loads(result.text)


def check_error(ask: Asked, case: ErrorCase) -> None:
    file, status, name, arguments, kind, said = case
    result = ask(file, name, arguments, status=status)
    assert (result.ok, result.error_kind) == (False, kind), result.text
    assert said in json.loads(result.text)["error"]["message"]
