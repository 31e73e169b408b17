"""Where the golden pages' titles lead, for the score: a page counts under its name and under a redirect's."""

from collections.abc import Mapping

from pytest_aar.leg import Leg
from pytest_aar.score import canonical_title


def golden_titles(
    leg: Leg, world: str, redirects: Mapping[str, str] | None = None
) -> Mapping[str, str] | None:
    """Page -> final page of the leg's golden pages, both as titles or as addresses; None when nobody knows.

    In the live world it is what the race has asked for (`redirects`). A page that is not there is left out: the
    score counts it as unresolved.
    """
    if world != "sandbox":
        return redirects
    from pytest_aar.world import load  # noqa: PLC0415 - opens the data file

    urls = (leg.seed_url, *(stop.page_url or "" for stop in leg.route_infos))
    found = {title: load().resolve(title) for title in map(canonical_title, urls)}
    return {title: final for title, final in found.items() if final is not None}
