"""What the header says of the run's isolation."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_aar.box import Isolation


def isolation_note(known: Isolation | None, legs_root: Path, *, verbose: bool) -> str:
    """The end of the header's line, and the lines below it: what an agent that is not shut in can see."""
    if known is not None and known.name != "none":
        return f", isolation {known.name}"
    below = [] if known is None else [_warning(known)]
    if verbose:
        from pytest_aar.lookout import why_unwatched  # noqa: PLC0415 - only where it is shown

        unwatched = why_unwatched(legs_root)
        below += [f"aar: {unwatched}"] if unwatched else []
    note = "" if known is None else f", isolation NONE ({known.detail})"
    return "\n".join([note, *below])


def _warning(known: Isolation) -> str:
    from pytest_aar.box import advice  # noqa: PLC0415 - only where there is no box

    todo = "" if known.detail == "asked for" else f" {advice()}"
    return (
        "aar: the agent's programs run as you: they can read the legs and your files, and use the "
        f"network.{todo}"
    )
