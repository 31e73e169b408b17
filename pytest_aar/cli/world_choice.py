"""The options of commands that call tools outside of a race: which world answers, and how its services are asked."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pytest_aar import option_values
from pytest_aar.errors import ConfigurationError
from pytest_aar.options import OPTIONS, settings_from
from pytest_aar.secrets import Secrets
from pytest_aar.settings import KIWIX, WITH_SANDBOX, WORLDS, WORLDS_WITHOUT_LEG, Settings

if TYPE_CHECKING:
    from pytest_aar.gateway.worlds import OpenWorld
    from pytest_aar.tools import Services

_Command = TypeVar("_Command", bound=Callable[..., Any])

#: Options of pytest's that these commands have as well, without the `aar-` of their names.
_TWINS = {
    option.name: option for option in OPTIONS if option.name in ("services", "wiki-at", "limits")
}
_HELP = {
    "services": "Base URL of a live service in place of its public one (a mirror, a proxy); repeatable. "
    "Default: aar_services of pytest's ini file.",
    "wiki-at": "Articles of the live Wikipedia as they were then: a day (2026-03-20), or a time.",
    "limits": "How often a live service is asked, such as wikipedia='60/min, 2 parallel'; repeatable.",
}

world_option = click.option(
    "--world",
    default="sandbox",
    show_default=True,
    metavar="WORLD",
    help=f"Whose services answer: {', '.join(WORLDS_WITHOUT_LEG)} (the live ones need some keys from the environment).",
)
contact_option = click.option(
    "--contact",
    help="Address or URL that Wikimedia can reach you at (live only). Default: aar_contact of pytest's ini file.",
)


def world_options(command: _Command) -> _Command:
    """Give a command all options of the world; `asked_for` makes settings of what they hold."""
    for name, option in reversed(_TWINS.items()):
        twin = click.option(
            f"--{name}", multiple=option.many, metavar=option.metavar, help=_HELP[name]
        )
        command = twin(command)
    return world_option(contact_option(command))


def asked_for(
    world: str,
    contact: str | None,
    *,
    services: tuple[str, ...],
    wiki_at: str | None,
    limits: tuple[str, ...],
) -> Settings:
    """The settings that the options of `world_options` name, as pytest's options are read.

    Raises:
        ConfigurationError: one of them is wrong, or does nothing in this world; says what is valid.
    """
    texts = {"services": services, "limits": limits, "wiki-at": (wiki_at,) if wiki_at else ()}
    name = chosen(world)
    for option, given in texts.items():
        if given and name != "live" and (option == "wiki-at" or name.endswith("sandbox")):
            raise ConfigurationError(
                f"--{option}: {given[0]!r} is about the live services, and --world is {world}: add --world live"
            )
    if wiki_at and wiki_at.strip() != "generated":  # of which pytest's message would speak
        option_values.wiki_moment(_given("--wiki-at", wiki_at))
    found = settings_from(
        {
            option: tuple(_given(f"--{option}", text) for text in given)
            for option, given in texts.items()
        }
    )
    if name != "sandbox" and not name.endswith(WITH_SANDBOX):
        found, contact = _with_ini(found, contact)
    _check_time(found)
    return replace(found, contact=contact, record="off", world=name)


def _with_ini(found: Settings, contact: str | None) -> tuple[Settings, str | None]:
    """Services and contact of pytest's ini file where the options name none."""
    from pytest_aar.ini_file import contact_in_ini, services_in_ini  # noqa: PLC0415 - the sandbox needs no parsers

    here = Path.cwd()
    if not found.services:
        given = (_given("ini option aar_services", text) for text in services_in_ini(here))
        found = replace(found, services=settings_from({"services": tuple(given)}).services)
    return found, contact or contact_in_ini(here)


def _given(source: str, text: str) -> option_values.Given:
    return option_values.Given(text=text, source=source, folder=Path.cwd())


def _check_time(settings: Settings) -> None:
    if settings.wiki_at == "generated":
        raise ConfigurationError(
            "--wiki-at: 'generated' is a leg's time, and no leg is raced here; valid: a day (2026-03-20), or a "
            "time (2026-03-20T12:00:00Z)"
        )
    if settings.wiki_at and settings.services.get("wikipedia", "").startswith(KIWIX):
        raise ConfigurationError(
            "--wiki-at: a Kiwix server has one revision of each page, that of its file: leave the option out, or "
            "ask a MediaWiki (--services wikipedia=https://HOST/w/api.php)"
        )


@asynccontextmanager
async def opened_services(settings: Settings) -> AsyncIterator["Services"]:
    """The services of the world that was asked for; what live ones make wait is told on standard error."""
    async with opened_world(settings) as opened:
        yield opened.services


@asynccontextmanager
async def opened_world(settings: Settings) -> AsyncIterator["OpenWorld"]:
    """The same with the world's version."""
    from pytest_aar.gateway.worlds import open_world  # noqa: PLC0415 - help comes without it

    if settings.world != "sandbox":
        tell_retries()
    async with open_world(settings.world, settings) as opened:
        yield replace(opened, services=replace(opened.services, wiki_at=settings.wiki_at))


def tell_retries() -> None:
    """From now on say on standard error that a service is tried again: a wait may last a minute."""
    from stamina.instrumentation import RetryDetails, set_on_retry_hooks  # noqa: PLC0415 - not for the sandbox

    from pytest_aar.tools.exchange import retry_told  # noqa: PLC0415 - loads the tools

    secrets = Secrets.of()

    def tell(details: RetryDetails) -> None:
        said = retry_told(details.caused_by, details.wait_for)
        click.echo(f"aar: {secrets.censor(said)}", err=True)

    set_on_retry_hooks([tell])


def chosen(text: str) -> str:
    """The world's name as given by `--world`; ConfigurationError names the choices."""
    try:
        found = chosen_for_leg(text)
    except ConfigurationError:
        found = WORLDS[0]
    if found == WORLDS[0]:  # `auto` goes by a leg
        raise ConfigurationError(
            f"--world: {text!r} is not valid; valid: {', '.join(WORLDS_WITHOUT_LEG)} (PATH of a ZIM file of "
            "Wikipedia)"
        )
    return found


def chosen_for_leg(text: str) -> str:
    """The same where there is a leg for `auto` to go by."""
    return option_values.world(_given("--world", text))
