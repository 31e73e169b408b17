"""Where the golden pages of a leg lead outside the sandbox: asked once a race, on the tape of its tools."""

import asyncio
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import httpx

from pytest_aar.errors import InfrastructureError
from pytest_aar.leg import Leg
from pytest_aar.settings import KIWIX
from pytest_aar.tools import Services
from pytest_aar.tools.result import ToolFailure
from pytest_aar.tools.unreachable import tried
from pytest_aar.tools.wiki_address import Article
from pytest_aar.tools.wiki_api import SERVICE
from pytest_aar.tools.wiki_titles import final_titles

from .needs import golden_articles
from .redirects import Redirects
from .tool_road import RACE_TAPE

if TYPE_CHECKING:
    from pytest_aar.cassettes import Tape

#: Seconds for all of a leg's titles; what is not known by then stays unresolved.
_MOST_SECONDS = 60.0
_MOST_ATTEMPTS = 2


async def golden_redirects(leg: Leg, services: Services, tape: "Tape | None") -> Redirects:
    """Address of a golden page, and of the seed -> the address it leads to, itself where it is no redirect.

    Pages that are not there, and all of a language whose wiki gave no answer (or whose recording has none), are
    left out: the score counts them as unresolved. No failure of this voids a race, not even on the tape: it is told.
    """
    RACE_TAPE.set(tape)
    services = replace(services, attempts=min(services.attempts, _MOST_ATTEMPTS))
    misses = len(tape.misses) if tape is not None else 0
    found: dict[str, str] = {}
    failures: list[str] = []
    try:
        async with asyncio.timeout(_MOST_SECONDS):
            for language, articles in _by_language(leg, services).items():
                resolved = await _attempted(language, articles, services)
                if isinstance(resolved, ToolFailure):
                    failures.append(resolved.message)
                else:
                    found |= resolved
    except TimeoutError:
        failures.append(f"{SERVICE} gave no answer within {_MOST_SECONDS:g} s")
    finally:
        if tape is not None:
            tape.forget_misses(after=misses)
    return Redirects(final=found, failure="; ".join(dict.fromkeys(failures)))


async def _attempted(
    language: str, articles: dict[str, Article], services: Services
) -> dict[str, str] | ToolFailure:
    try:
        return await tried(SERVICE, _resolved(language, articles, services))
    except (httpx.InvalidURL, InfrastructureError) as failure:
        return ToolFailure("upstream", str(failure))


async def _resolved(
    language: str, articles: dict[str, Article], services: Services
) -> dict[str, str]:
    titles = (article.title for article in articles.values())
    final = await final_titles(services, language, titles)
    return {
        url: article.url(final[article.title])
        for url, article in articles.items()
        if article.title in final
    }


def _by_language(leg: Leg, services: Services) -> dict[str, dict[str, Article]]:
    """Language -> address -> article; none where a Kiwix server is asked, which has no such list."""
    groups: dict[str, dict[str, Article]] = defaultdict(dict)
    if services.endpoints.wikipedia.startswith(KIWIX):
        return groups
    for url, article in golden_articles(leg, services.endpoints).items():
        if article.title:
            groups[article.language][url] = article
    return groups
