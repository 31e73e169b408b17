"""The text of the standalone `tools.py` that agents find in their folder."""

import json
from collections.abc import Sequence
from pathlib import Path

from pytest_aar.tools.registry import TOOL_NAMES, TOOLS, schema

_SLOT = "TOOLS: dict = {}"


def client_source(names: Sequence[str] = TOOL_NAMES) -> str:
    """Source of `standalone.py` with these tools written into it, for its list and its help.

    It is copied, never imported: the agent's Python has no pytest-aar.
    """
    table = {
        tool.name: {"description": tool.description, "arguments": schema(tool)}
        for tool in TOOLS
        if tool.name in names
    }
    source = Path(__file__).with_name("standalone.py").read_text(encoding="utf-8")
    head, slot, rest = source.partition(_SLOT)
    literal = json.dumps(json.dumps(table, ensure_ascii=False), ensure_ascii=True)
    return f"{head}{slot.replace('{}', f'json.loads({literal})')}{rest}"
