"""The world of a ZIM file: Wikipedia from the file, all else live or from the sandbox."""

from dataclasses import replace

import httpx

from pytest_aar.errors import ConfigurationError
from pytest_aar.leg import Leg
from pytest_aar.sandbox_hosts import ZIM_SEARCH_BASE
from pytest_aar.settings import Settings, ZimChoice, zim_choice
from pytest_aar.tools import LIVE, Services
from pytest_aar.tools.service_keys import SEARCH_SERVICES, SEARCH_VARIABLES
from pytest_aar.zim import NoFile, ZimFile, ZimTransport, is_libzim_there, open_zim


def zim_file(choice: ZimChoice, settings: Settings) -> ZimFile | None:
    """The file; None where recordings are replayed on a machine without it, which takes no file.

    Raises:
        ConfigurationError: see `open_zim`.
    """
    is_here = choice.path.is_file() and is_libzim_there()
    if settings.record == "none" and not is_here:
        return None
    return open_zim(choice.path)


def zim_road(
    choice: ZimChoice, settings: Settings, rest: httpx.AsyncBaseTransport
) -> httpx.AsyncBaseTransport:
    """The road to the file's Wikipedia, and by `rest` to everything else."""
    file = zim_file(choice, settings)
    if file is None:
        return NoFile(
            f"{choice.path} is not here or libzim is not installed, and --aar-record=none asks for nothing but "
            "recordings"
        )
    return ZimTransport(file, rest)


def zim_hash(choice: ZimChoice, settings: Settings) -> str | None:
    """Hash of what answers without changing: the file, with `+sandbox` the sandbox world, too."""
    file = zim_file(choice, settings)
    if file is None:
        return None
    if not choice.with_sandbox:
        return file.edition.hash
    from pytest_aar.world import load  # noqa: PLC0415 - opens the data file

    return f"{file.edition.hash}+{load().hash}"


def zim_services(choice: ZimChoice, settings: Settings, found: Services) -> Services:
    """The services that were found with the file's Wikipedia, and its search where no other is set."""
    endpoints = replace(found.endpoints, wikipedia=LIVE.wikipedia, article_hosts=LIVE.article_hosts)
    if not choice.with_sandbox and _has_web_search(settings, found):
        return replace(found, endpoints=endpoints)
    return replace(
        found,
        endpoints=replace(endpoints, search=ZIM_SEARCH_BASE),
        keys={**found.keys, "SERPER_API_KEY": "none: the file is searched"},
    )


def _has_web_search(settings: Settings, found: Services) -> bool:
    return not found.keys.keys().isdisjoint(
        SEARCH_VARIABLES
    ) or not settings.services.keys().isdisjoint(SEARCH_SERVICES)


def check_zim(settings: Settings) -> None:
    """Open the file that the settings name, if they name one.

    Raises:
        ConfigurationError: see `open_zim`; or a time is chosen, too.
    """
    choice = zim_choice(settings.world)
    if choice is None:
        return
    if settings.wiki_at is not None:
        raise ConfigurationError(
            f"--aar-wiki-at={settings.wiki_at}: a ZIM file has one revision of each page, that of its date: leave "
            "the option out, or choose --aar-world=live"
        )
    zim_file(choice, settings)


def check_wiki(choice: ZimChoice, settings: Settings, leg: Leg) -> None:
    """Refuse a leg whose pages are of another wiki than the file's.

    Raises:
        ConfigurationError: names both.
    """
    file = zim_file(choice, settings)
    host = httpx.URL(leg.seed_url).host.replace(".m.", ".")
    if file is not None and host != file.edition.host:
        raise ConfigurationError(
            f"leg {leg.leg_id} starts on {host}, and {file.edition.file} holds {file.edition.host} alone: choose "
            f"legs of {file.edition.host}, another file, or --aar-world=auto"
        )
