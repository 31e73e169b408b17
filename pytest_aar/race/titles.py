"""Where the golden pages' titles lead, for the score: a page counts under its name and under a redirect's."""

from pytest_aar.leg import Leg
from pytest_aar.score import canonical_title


def golden_titles(leg: Leg, world: str) -> dict[str, str] | None:
    """Title -> final title of the leg's pages; None in the live world, which replay must not ask.

    A title without a page is left out: the score counts it as unresolved.
    """
    if world != "sandbox":
        return None
    from pytest_aar.world import load  # noqa: PLC0415 - opens the data file

    urls = (leg.seed_url, *(stop.page_url or "" for stop in leg.route_infos))
    found = {title: load().resolve(title) for title in map(canonical_title, urls)}
    return {title: final for title, final in found.items() if final is not None}
