"""The options of commands that call tools outside of a race: which world answers, whom Wikimedia can reach."""

from pathlib import Path

import click

from pytest_aar import option_values
from pytest_aar.errors import ConfigurationError
from pytest_aar.settings import ZIM

world_option = click.option(
    "--world",
    default="sandbox",
    show_default=True,
    metavar="WORLD",
    help="Whose services answer: sandbox, live (some need keys from the environment), zim:PATH or zim:PATH+sandbox.",
)
contact_option = click.option(
    "--contact", help="Address or URL that Wikimedia can reach you at (live only)."
)


def chosen(text: str) -> str:
    """The world's name as given by `--world`; ConfigurationError names the choices."""
    if text not in ("sandbox", "live") and not text.startswith(ZIM):  # `auto` goes by a leg
        raise ConfigurationError(
            f"--world: {text!r} is not valid; valid: sandbox, live, zim:PATH, zim:PATH+sandbox"
        )
    return chosen_for_leg(text)


def chosen_for_leg(text: str) -> str:
    """The same where there is a leg for `auto` to go by."""
    return option_values.world(option_values.Given(text=text, source="--world", folder=Path.cwd()))
