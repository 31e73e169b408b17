"""Whether live services can be told whom to turn to, and where that was said."""

from pathlib import Path

from pytest_aar.tools import Endpoints

from .check import LIVE, Check
from .ini_file import pytest_options


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


def contact_in_ini(folder: Path) -> str | None:
    """`aar_contact` of the file that a run of pytest in this folder would read; None where it is not set."""
    return str(pytest_options(folder)[1].get("aar_contact") or "").strip() or None


def folder_in_ini(folder: Path, name: str) -> Path | None:
    """The folder that an option of that file names, such as `aar_legs`: seen from `folder` if it is below it."""
    where, options = pytest_options(folder)
    text = str(options.get(name) or "").strip()
    if not text:
        return None
    found = where / Path(text).expanduser()
    return found.relative_to(folder) if found.is_relative_to(folder) else found


def services_in_ini(folder: Path) -> tuple[str, ...]:
    """`aar_services` of that file, each as `service=URL`."""
    given = pytest_options(folder)[1].get("aar_services") or ""
    lines = given if isinstance(given, list) else str(given).splitlines()
    return tuple(text for line in lines if (text := str(line).strip()))
