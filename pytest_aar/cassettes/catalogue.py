"""Looking at cassettes from outside: which there are, what they hold, whether they are whole."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from pytest_aar.cassettes import cassette_file
from pytest_aar.cassettes.asked import keyed
from pytest_aar.cassettes.cassette_file import Recording
from pytest_aar.cassettes.faults import NOT_A_CASSETTE, corrupted
from pytest_aar.cassettes.journal import read_journal
from pytest_aar.cassettes.paths import BODIES, INDEX, PARTIAL, bodies_path
from pytest_aar.errors import CassetteCorrupted, CassetteMissing

WHOLE, DAMAGED = "whole", "damaged"
#: What a file may be that is taken for a cassette.
STATES = (WHOLE, DAMAGED, NOT_A_CASSETTE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One line about a cassette; `state` is one of `STATES`."""

    path: Path
    agent: str = ""
    model: str = ""
    interactions: int = 0
    bytes: int = 0
    recorded_at: str = ""
    state: str = WHOLE


def cassettes_in(place: Path) -> list[Path]:
    """The index files in a folder and below, sorted, hidden ones left out; a file stands for itself.

    Raises:
        CassetteMissing: nothing is there.
    """
    if place.is_file():
        return [place]
    if not place.is_dir():
        raise CassetteMissing(f"{place}: no such folder or cassette; give the folder of cassettes.")
    indexes = set(place.rglob(f"*{INDEX}"))
    bodies = place.rglob(f"*{BODIES}")
    lost = {path.with_name(path.name.removesuffix(BODIES) + INDEX) for path in bodies}
    return sorted(path for path in indexes | lost if not path.name.startswith("."))


def partials_in(place: Path) -> Iterator[tuple[Path, int]]:
    """Journals of running or interrupted recordings, with the number of interactions in each."""
    if place.is_dir():
        for path in sorted(place.rglob(f"*{PARTIAL}")):
            yield path, len(read_journal(path))


def summary(path: Path) -> Summary:
    """The line about one cassette."""
    try:
        recording = cassette_file.read(path)
    except (CassetteCorrupted, FileNotFoundError) as error:
        return Summary(path=path, state=_state(str(error)))
    size = path.stat().st_size + bodies_path(path).stat().st_size
    return Summary(
        path=path,
        agent=recording.metadata.agent,
        model=recording.metadata.model,
        interactions=len(recording.interactions),
        bytes=size,
        recorded_at=recording.recorded_at,
    )


def _state(finding: str) -> str:
    return NOT_A_CASSETTE if is_of_another_kind(finding) else DAMAGED


def is_of_another_kind(finding: str) -> bool:
    """Whether the finding about a file says that it is no cassette at all."""
    return finding.startswith(NOT_A_CASSETTE)


def circumstances(recording: Recording) -> Iterator[tuple[str, str]]:
    """What is known about how a cassette was recorded."""
    for name, value in asdict(recording.metadata).items():
        if value:
            yield name, value
    for key in recording.open_ends:
        yield "unanswered when the race's time was up", key
    yield "recorded_at", recording.recorded_at


def verify(path: Path) -> list[str]:
    """Everything that is wrong with a cassette: files, every body, every key. Empty: it is whole."""
    try:
        recording = cassette_file.read(path)
        return [*_bodies_faults(path, recording), *_key_faults(path, recording)]
    except FileNotFoundError:
        return [f"{path}: no such cassette"]
    except CassetteCorrupted as error:
        return [str(error)]


def _bodies_faults(path: Path, recording: Recording) -> Iterator[str]:
    for digest in recording.pack.damaged() if recording.pack else ():
        yield str(corrupted(bodies_path(path), f"body {digest} has another content"))


def _key_faults(path: Path, recording: Recording) -> Iterator[str]:
    for number, interaction in enumerate(recording.interactions):
        asked = interaction.asked
        if keyed(asked.method, asked.uri, asked.head, asked.messages).key != asked.key:
            yield str(corrupted(path, f"the key of interaction {number} is not its request's"))
