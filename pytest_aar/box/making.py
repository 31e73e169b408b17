"""From an isolation to a box."""

from typing import cast

from .box import Box, BoxPlace
from .bwrap_box import BwrapBox
from .bwrap_command import PORT, SOCKET, Form
from .isolation import Isolation
from .offline import OfflineBox
from .plain import PlainBox


def make_box(isolation: Isolation, place: BoxPlace, *, offline: bool = False) -> Box:
    """The box of a race. `offline`: where the network can't be cut, commands find a dead proxy."""
    if isolation.name == "bwrap":
        return BwrapBox(place, cast("Form", isolation.form))
    box = PlainBox(place)
    return OfflineBox(box) if offline else box


def tags(place: BoxPlace) -> dict[str, str]:
    """Texts of this race that differ from run to run or from box to box -> what recordings hold instead."""
    found = {place.marker: "{{aar:box}}"}
    if place.doors is not None:
        ways = (f"http://127.0.0.1:{PORT}", f"unix:{SOCKET}:")
        found |= {f"{way}{place.doors.path}": "{{aar:gateway}}" for way in ways}
    return found
