"""The prompt: one template with the same information for every agent.

A template of one's own (`--aar-prompt FILE`) is plain text with these placeholders, each optional; any
other text in braces stays as it is:

`{seed_url}` the seed page; `{clues}` the numbered clues; `{tools}` one line per tool with its JSON schema;
`{how_to_call}` how this agent calls tools and gives its answer; `{budget}` the step budget as a sentence
(empty when it is not enforced).
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_aar.errors import ConfigurationError
from pytest_aar.leg import ClueEnvelope

PLACEHOLDERS = ("seed_url", "clues", "tools", "how_to_call", "budget")

TEMPLATE = """\
You are racing a leg of The Amazing Agent Race. A route of clues leads over web pages, tool calls and \
calculations to the finish line. Each clue yields one value; the last clue combines values into a \
single digit, 0 to 9. That digit is your answer.

Start at this page: {seed_url}

The clues, in order:

{clues}

Values come from the pages you fetch and from tool results, not from memory. Where a clue counts, \
measures or converts, work with whole numbers (cut the fraction) unless it says otherwise.

Tools, with the JSON schema of their arguments:

{tools}

{how_to_call}
{budget}"""

OVER_HTTP = """\
Call a tool by HTTP: POST its arguments as a JSON object to $AAR_GATEWAY/tools/NAME. The reply's body is \
the result. When you have the digit, write it, and nothing else, to the file answer.txt in your working \
directory."""

BY_FUNCTION_CALL = """\
Call the tools by function calling. When you have the digit, reply with that single digit and nothing else."""

BY_COMMAND = """\
Call a tool from the shell, in your working directory: python3 tools.py NAME 'JSON', for example
python3 tools.py fetch_webpage '{"url": "https://wiki.aar.test/wiki/Example"}'
(python3 tools.py alone lists the tools.) When you have the digit, write it, and nothing else, to the file \
answer.txt in your working directory."""

BY_MCP = """\
Call the tools of the MCP server aar. When you have the digit, write it, and nothing else, to the file \
answer.txt in your working directory."""

_PLACEHOLDER = re.compile("{(" + "|".join(PLACEHOLDERS) + ")}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolText:
    """A tool as the prompt shows it."""

    name: str
    description: str
    schema: Mapping[str, Any]


def render(
    envelope: ClueEnvelope,
    *,
    tools: Sequence[ToolText],
    how_to_call: str,
    template: str | None = None,
) -> str:
    """The prompt's text; `tools` are those that the envelope offers."""
    values = {
        "seed_url": envelope.seed_url,
        "clues": envelope.clues.strip(),
        "tools": "\n".join(_tool_line(tool) for tool in tools),
        "how_to_call": how_to_call.strip(),
        "budget": _budget(envelope.step_budget),
    }
    # Not str.format: clues and schemas hold braces, and so may a user's template.
    text = _PLACEHOLDER.sub(
        lambda found: values[found[1]], TEMPLATE if template is None else template
    )
    return text.strip() + "\n"


def read_template(path: Path) -> str:
    """A user's template from its file; it must hold the clues."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"prompt template {path}: {error}; give --aar-prompt a text file"
        ) from error
    if "{clues}" not in text:
        names = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
        raise ConfigurationError(
            f"prompt template {path}: there is no {{clues}} in it, so the agent would not see the clues; "
            f"placeholders: {names}"
        )
    return text


def _tool_line(tool: ToolText) -> str:
    return f"- {tool.name}: {tool.description} {json.dumps(tool.schema, ensure_ascii=False, sort_keys=True)}"


def _budget(steps: int | None) -> str:
    return "" if steps is None else f"\nYou have at most {steps} steps (model calls)."
