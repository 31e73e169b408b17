"""`aar tool`: call one of the 19 tools by hand, in the sandbox world or the live one."""

import asyncio
import json
import sys
from typing import Any

import click

from pytest_aar.cli.world_choice import chosen, contact_option, world_option
from pytest_aar.errors import ConfigurationError
from pytest_aar.secrets import Secrets
from pytest_aar.settings import Settings


@click.command(context_settings={"ignore_unknown_options": False})
@click.argument("name", required=False)
@click.argument("arguments", required=False, default="{}")
@world_option
@contact_option
@click.option("--schema", "wants_schema", is_flag=True, help="Print what the tool takes, and stop.")
def command(
    name: str | None, arguments: str, world: str, contact: str | None, *, wants_schema: bool
) -> None:
    """Call the tool NAME with ARGUMENTS, a JSON object ("-": read it from standard input).

    Without NAME, list the tools. Exit code: 0 a result, 1 an error result, 2 wrong usage.
    """
    if name is None:
        click.echo(_listing())
    elif wants_schema:
        click.echo(json.dumps(_schema_of(name), indent=2, ensure_ascii=False))
    else:
        settings = Settings(contact=contact, record="off")
        text, is_ok = asyncio.run(_call(name, _parsed(arguments), world, settings))
        click.echo(Secrets.of().redact(text))  # a live service may repeat its key
        sys.exit(0 if is_ok else 1)


def _parsed(arguments: str) -> Any:
    text = sys.stdin.read() if arguments == "-" else arguments
    try:
        return json.loads(text)
    except ValueError as problem:
        raise ConfigurationError(
            f"the tool's arguments are not JSON ({problem}): {text[:200]!r};"
            ' expected an object such as \'{"address": "Lima"}\''
        ) from None


async def _call(name: str, arguments: Any, world: str, settings: Settings) -> tuple[str, bool]:
    from pytest_aar.gateway.worlds import open_world  # noqa: PLC0415 - `aar tool` lists without it
    from pytest_aar.tools import call, shown  # noqa: PLC0415 - same

    async with open_world(chosen(world), settings) as opened:
        result = await call(name, arguments, opened.services)
    return shown(result, name, tool_characters=settings.tool_characters), result.ok


def _listing() -> str:
    from pytest_aar.tools import TOOLS  # noqa: PLC0415 - pydantic and httpx only when needed

    width = max(len(tool.name) for tool in TOOLS)
    kind = max(len(tool.category) for tool in TOOLS)
    return "\n".join(
        f"{tool.name:<{width}}  {tool.category:<{kind}}  {tool.description}" for tool in TOOLS
    )


def _schema_of(name: str) -> dict[str, Any]:
    from pytest_aar.tools import TOOL_NAMES, schema, tool_named  # noqa: PLC0415 - same

    tool = tool_named(name)
    if tool is None:
        raise ConfigurationError(f"no tool is called {name!r}; valid: {', '.join(TOOL_NAMES)}")
    return schema(tool)
