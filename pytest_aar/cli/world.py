"""`aar world`: browse the sandbox world, and say what it holds."""

import json
import socket
from collections import Counter
from contextlib import suppress

import click

from pytest_aar.errors import ConfigurationError

DEFAULT_PORT = 8750
LARGEST_PORT = 65535


@click.group()
def command() -> None:
    """The embedded sandbox world: an encyclopaedia and its services."""


@command.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=DEFAULT_PORT, show_default=True, help="Port to listen on.")
def serve(host: str, port: int) -> None:
    """Serve the world over HTTP: pages for a browser, and every service by its path."""
    if not 0 < port <= LARGEST_PORT:
        raise ConfigurationError(f"--port {port}: a port is a number from 1 to {LARGEST_PORT}")
    # Only this command needs the server and the world.
    import uvicorn  # noqa: PLC0415 - only this command needs it

    from pytest_aar.world.asgi import asgi_app  # noqa: PLC0415 - only this command needs it
    from pytest_aar.world.store import load  # noqa: PLC0415 - only this command needs it

    app = asgi_app(load())
    with listening(host, port) as listener:
        shown = f"[{host}]" if ":" in host else host
        click.echo(f"Sandbox world at http://{shown}:{port}/  (Ctrl-C ends it)")
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
        # The server re-raises the interrupt once it has shut down; a user who ends it wants no more.
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listener])


def listening(host: str, port: int) -> socket.socket:
    """A socket that takes connections there already.

    Raises:
        ConfigurationError: the host is none of this machine's, or the port is taken.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    # A name that can't be encoded for the resolver is a UnicodeError.
    except (OSError, UnicodeError) as error:
        reason = str(getattr(error, "strerror", None) or error).partition(" (while")[0]
        raise ConfigurationError(
            f"can't listen on --host {host} --port {port}: {reason}; "
            "choose another port or an address of this machine"
        ) from error


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def info(*, as_json: bool) -> None:
    """Print the world's hash, its date and how many pages it has of each kind."""
    from pytest_aar.world.store import load  # noqa: PLC0415 - `aar world --help` stays fast

    world = load()
    kinds = Counter(summary.kind for summary in world.summaries())
    facts = {"hash": world.hash, "date": world.date, "pages": len(world), "kinds": dict(kinds)}
    if as_json:
        click.echo(json.dumps(facts))
        return
    click.echo(f"world {world.hash}, data of {world.date}, {len(world):,} pages")
    for kind, count in kinds.most_common():
        click.echo(f"  {count:6,} {kind}")
