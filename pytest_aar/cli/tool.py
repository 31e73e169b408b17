"""`aar tool`: call one of the 19 tools by hand, in the sandbox world or the live one."""

import asyncio
import json
import sys
import textwrap
from itertools import groupby
from typing import Any

import click

from pytest_aar.cli.world_choice import asked_for, opened_services, world_options
from pytest_aar.errors import ConfigurationError
from pytest_aar.secrets import Secrets
from pytest_aar.settings import Settings

_WIDTH = 80


@click.command(context_settings={"ignore_unknown_options": False})
@click.argument("name", required=False)
@click.argument("arguments", required=False, default="{}")
@world_options
@click.option("--schema", "wants_schema", is_flag=True, help="Print what the tool takes, and stop.")
def command(name: str | None, arguments: str, *, wants_schema: bool, **world: Any) -> None:
    """Call the tool NAME with ARGUMENTS, a JSON object ("-": read it from standard input).

    Without NAME, list the tools. Exit code: 0 a result, 1 an error result, 2 wrong usage.
    """
    if name is None:
        click.echo(_listing())
    elif wants_schema:
        click.echo(json.dumps(_schema_of(name), indent=2, ensure_ascii=False))
    else:
        text, is_ok = asyncio.run(_call(name, _parsed(arguments), asked_for(**world)))
        click.echo(Secrets.of().redact(text))  # a live service may repeat its key
        sys.exit(0 if is_ok else 1)


def _parsed(arguments: str) -> Any:
    text = arguments
    try:
        if arguments == "-":
            text = sys.stdin.read()
        return json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise ConfigurationError(
            f"the tool's arguments are not JSON ({problem}): {text[:200]!r};"
            ' expected an object such as \'{"address": "Lima"}\''
        ) from None


async def _call(name: str, arguments: Any, settings: Settings) -> tuple[str, bool]:
    from pytest_aar.manners.meter import METER, Meter  # noqa: PLC0415 - `aar tool` lists without it
    from pytest_aar.tools import call, shown  # noqa: PLC0415 - same

    METER.set(Meter(tell=lambda line: click.echo(f"aar: {line}", err=True)))
    async with opened_services(settings) as services:
        result = await call(name, arguments, services)
    return shown(result, name, tool_characters=settings.tool_characters), result.ok


def _listing() -> str:
    from pytest_aar.tools import TOOLS  # noqa: PLC0415 - pydantic and httpx only when needed

    width = max(len(tool.name) for tool in TOOLS)
    lines: list[str] = []
    for category, tools in groupby(TOOLS, key=lambda tool: tool.category):
        lines.append(category)
        for tool in tools:
            head = f"  {tool.name:<{width}}  "
            lines += textwrap.wrap(
                tool.description, _WIDTH, initial_indent=head, subsequent_indent=" " * len(head)
            )
    return "\n".join(lines)


def _schema_of(name: str) -> dict[str, Any]:
    from pytest_aar.tools import TOOL_NAMES, schema, tool_named  # noqa: PLC0415 - same

    tool = tool_named(name)
    if tool is None:
        raise ConfigurationError(f"no tool is called {name!r}; valid: {', '.join(TOOL_NAMES)}")
    return schema(tool)
