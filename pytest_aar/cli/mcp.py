"""`aar mcp`: the 19 tools for an MCP client that starts programs, over standard input and output."""

import asyncio
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click

from pytest_aar.cli.world_choice import asked_for, opened_services, world_options
from pytest_aar.errors import AarError
from pytest_aar.secrets import Secrets, excerpt
from pytest_aar.settings import Settings

_ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    text: str
    ok: bool


@click.command()
@world_options
def command(**world: Any) -> None:
    """Serve the 19 tools to an MCP client over standard input and output.

    Needs the extra: pip install 'pytest-aar[mcp]'. Ends, with exit code 0, when the client closes standard
    input, after the last answer, or at once by a signal (SIGINT, SIGTERM, SIGHUP).
    """
    from pytest_aar.tools.mcp_extra import loaded  # noqa: PLC0415 - loads the tools

    settings = asked_for(**world)
    loaded()
    asyncio.run(_serve(settings))


async def _serve(settings: Settings) -> None:
    import anyio  # noqa: PLC0415 - comes with the SDK
    from mcp.server.stdio import stdio_server  # noqa: PLC0415 - loads the SDK

    from pytest_aar.cli.mcp_lines import Answers, Lines, Unanswered, claimed  # noqa: PLC0415 - same

    async with opened_services(settings) as services:
        server = server_over(services, settings)
        unanswered, (asked, answered) = Unanswered(), claimed()
        with anyio.CancelScope() as scope, _ended_by_signals(scope.cancel):
            lines = Lines(asked, unanswered, tell_odd)
            answers = Answers(answered, unanswered, scope.cancel)
            async with stdio_server(lines, answers) as (read, write):  # type: ignore[arg-type]  # has what it uses
                await server.run(read, write, server.create_initialization_options())


def tell_odd(line: str) -> None:
    """Say on standard error that a line was no message."""
    click.echo(
        f"aar: a line on standard input is no JSON-RPC message, and has no answer: {excerpt(line, 80)!r}; an MCP "
        "client, which begins with the request initialize, writes one message a line",
        err=True,
    )


def server_over(services: Any, settings: Settings) -> Any:
    """The SDK's server over a world's services."""
    from pytest_aar.tools import call, shown  # noqa: PLC0415 - loads the tools
    from pytest_aar.tools.mcp_extra import loaded  # noqa: PLC0415 - same
    from pytest_aar.tools.result import error  # noqa: PLC0415 - same

    secrets = Secrets.of()  # a live service may repeat its key

    async def answer(name: str, arguments: Mapping[str, Any]) -> _Said:
        try:
            result = await call(name, arguments, services)
        except AarError as problem:  # no sandbox for code, say: the other tools work
            result = error("upstream", str(problem))
        text = shown(result, name, tool_characters=settings.tool_characters)
        return _Said(text=secrets.redact(text), ok=result.ok)

    return loaded().make_server(answer)


@contextmanager
def _ended_by_signals(end: Any) -> Iterator[None]:
    """The first signal ends the work in order, a second one the process."""
    loop = asyncio.get_running_loop()

    def ended() -> None:
        for number in _ENDS:
            loop.remove_signal_handler(number)
        end()

    for number in _ENDS:
        loop.add_signal_handler(number, ended)
    try:
        yield
    finally:
        for number in _ENDS:
            loop.remove_signal_handler(number)
