"""Whether live services can be told whom to turn to."""

from pytest_aar.tools import Endpoints

from .check import LIVE, Check


def contact(given: str | None, endpoints: Endpoints) -> Check:
    """The address that Wikimedia is given."""
    is_ours = "wikipedia" in endpoints.own
    if given:
        return Check(
            area="services", name="contact", state="set", found=given, told_for=(LIVE,),
        )  # fmt: skip
    found = "none" if not is_ours else "none; Wikipedia is asked at an address of yours"
    advice = (
        "set aar_contact in pytest's ini file (here: --contact) to a mail address or URL of yours: Wikimedia then"
        " takes 200 requests a minute, without it 10"
    )
    return Check(
        area="services",
        name="contact",
        state="off" if is_ours else "missing",
        found=found,
        advice="" if is_ours else advice,
        told_for=(LIVE,),
    )
