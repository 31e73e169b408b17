"""Messages about cassette files: what was found, in which file, what to do.

Paths come after what was found: the lines of pytest's summary are cut.
"""

from pathlib import Path

from pytest_aar.cassettes.paths import without_suffix
from pytest_aar.errors import CassetteCorrupted, CassetteMissing, InfrastructureError

_REPAIR = (
    "Restore it from version control (git checkout -- {name}*), or record it again with "
    "--aar-record=all."
)


#: What comes before the path where a missing cassette belongs.
_PLACE = " Its place is "


def corrupted(path: Path, found: str, *, repair: str | None = None) -> CassetteCorrupted:
    """A cassette that can't be read whole. Replay stops: it is never taken for "no cassette"."""
    advice = repair or _REPAIR.format(name=without_suffix(path))
    return _faulty(f"unreadable cassette: {found}", path, advice)


#: How the finding about a file of another kind begins.
NOT_A_CASSETTE = "not a cassette"


def not_a_cassette(path: Path) -> CassetteCorrupted:
    """JSON of another kind, a leg for one: there is nothing to restore."""
    repair = (
        "Give a file or folder of recordings (by default they are in cassettes); if a race looked for its "
        "recording here, move this file away."
    )
    return _faulty(f"{NOT_A_CASSETTE}, but JSON of another kind", path, repair)


def missing(path: Path, partial: int, *, asks_model: bool, lacking: str = "") -> CassetteMissing:
    """No cassette to replay; `partial` interactions wait in an interrupted recording.

    `asks_model`: the agent has one, which a recording needs. `lacking`: what else a recording needs and
    this machine has not, and where to get it.
    """
    if lacking:
        return CassetteMissing(
            f"no cassette, and none can be recorded yet: {lacking}; then record it with --aar-record=once."
            f"{_PLACE}{path}."
        )
    needs = "the model and the network" if asks_model else "the services, no model"
    advice = f"record it with --aar-record=once (needs {needs}), or race without: --aar-record=off"
    if partial:
        advice = (
            f"an interrupted recording beside its place holds {partial} interactions, "
            "--aar-record=once continues it"
        )
    return CassetteMissing(f"no cassette; {advice}.{_PLACE}{path}.")


def advice_and_place(text: str) -> tuple[str, str]:
    """A message of `missing`: what to do, the same for many races, and where this one's cassette belongs.

    Another message is all advice.
    """
    advice, found, place = text.rpartition(_PLACE)
    return (advice, found + place) if found else (text, "")


def unwritable(path: Path, error: OSError) -> InfrastructureError:
    """A recording that could not be written."""
    return InfrastructureError(
        f"can't write the recording ({error.strerror or error}). Its place is {path}. A cassette that was there "
        "before is untouched; make room or give write permission on its folder, then record again."
    )


def busy(path: Path) -> InfrastructureError:
    """A second recorder of one file."""
    return InfrastructureError(
        f"another process is recording this cassette. Its place is {path}. Wait for it, or give each recorder "
        "its own --aar-cassettes folder."
    )


def _faulty(found: str, path: Path, advice: str) -> CassetteCorrupted:
    return CassetteCorrupted(f"{found}. Its place is {path}. {advice}")
