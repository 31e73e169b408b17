"""Cassettes that no leg needs any more."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pytest_aar.cassettes import cassette_file, catalogue
from pytest_aar.cassettes.disk import folder_lock, try_lock
from pytest_aar.cassettes.paths import PARTIAL, bodies_path, leg_folder
from pytest_aar.errors import CassetteCorrupted, ConfigurationError

GONE = "its leg no longer exists"
CHANGED = "recorded for another state of its leg"
NO_INDEX = "bodies without an index"


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftover:
    """Files that belong together, and why nobody needs them."""

    files: tuple[Path, ...]
    reason: str


def leftovers(root: Path, legs: Mapping[str, str]) -> list[Leftover]:
    """What of the recordings below `root` no leg needs. `legs`: id -> sha256.

    A damaged cassette of a leg that is there is kept, and so is its interrupted recording; a
    recording that is under way and files that are no cassettes are left alone.

    Raises:
        CassetteMissing: there is no such folder.
        ConfigurationError: the recordings are of these legs, but under other ids.
    """
    wanted = {leg_folder(root, leg_id): sha256 for leg_id, sha256 in legs.items()}
    cassettes = catalogue.cassettes_in(root)
    _check_ids(cassettes, wanted)
    found = [
        Leftover(files=_files(path), reason=reason)
        for path in cassettes
        if (reason := _reason(path, wanted))
    ]
    return found + [
        Leftover(files=(path,), reason=GONE)
        for path in sorted(root.rglob(f"*{PARTIAL}"))
        if path.parent not in wanted and not _in_use(path)
    ]


def remove(leftovers: Sequence[Leftover], root: Path) -> None:
    """Delete them, and folders below `root` that are empty then.

    Raises:
        OSError: a file could not be deleted; those before it are gone.
    """
    for leftover in leftovers:
        folder = leftover.files[0].parent
        with folder_lock(folder):
            for path in leftover.files:
                path.unlink(missing_ok=True)
        for parent in _parents(folder, root):
            with suppress(OSError):  # not empty
                parent.rmdir()


def _files(path: Path) -> tuple[Path, ...]:
    return tuple(each for each in (path, bodies_path(path)) if each.exists())


def _check_ids(cassettes: Sequence[Path], wanted: Mapping[Path, str]) -> None:
    """A leg's id is its path below the legs root: with another root, every recording seems left over."""
    if any(path.parent in wanted for path in cassettes):
        return
    hashes = set(wanted.values())
    shifted = next((path for path in cassettes if _recorded_leg(path) in hashes), None)
    if shifted is not None:
        raise ConfigurationError(
            f"{shifted}: its leg is there, but under another id, and so it is with every cassette: an id is the "
            "path below the legs root; give that folder with --legs (`legs`, not one of its subfolders)"
        )


def _recorded_leg(path: Path) -> str:
    """Hash of the leg that a cassette was recorded for, "" where it does not say."""
    try:
        return cassette_file.read(path).metadata.leg_sha256 if path.exists() else ""
    except CassetteCorrupted:
        return ""


def _reason(path: Path, wanted: Mapping[Path, str]) -> str:
    """Why the cassette is not needed, "" when it is."""
    if not path.exists():
        return NO_INDEX if path.parent in wanted else GONE
    try:
        recorded = cassette_file.read(path).metadata.leg_sha256
    except CassetteCorrupted as error:
        is_cassette = not catalogue.is_of_another_kind(str(error))
        return GONE if is_cassette and path.parent not in wanted else ""
    if path.parent not in wanted:
        return GONE
    return CHANGED if recorded and recorded != wanted[path.parent] else ""


def _in_use(journal: Path) -> bool:
    with journal.open("rb") as file:
        return not try_lock(file.fileno())


def _parents(folder: Path, root: Path) -> Iterator[Path]:
    while folder != root and folder.is_relative_to(root):
        yield folder
        folder = folder.parent
