"""Opening a cassette for one race: to replay what it holds, or to record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pytest_aar.cassettes import cassette_file
from pytest_aar.cassettes.asked import Interaction
from pytest_aar.cassettes.canonical import Canonical
from pytest_aar.cassettes.faults import missing
from pytest_aar.cassettes.journal import read_journal
from pytest_aar.cassettes.metadata import Metadata, check_leg, stale_fields
from pytest_aar.cassettes.passing import is_passing
from pytest_aar.cassettes.paths import partial_path
from pytest_aar.cassettes.recorder import Recorder, Target
from pytest_aar.cassettes.reel import Reel
from pytest_aar.cassettes.tape import Tape
from pytest_aar.secrets import Secrets

TapeMode = Literal["none", "once", "all", "extend"]
TapeKind = Literal["model", "tools"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TapeOptions:
    """How a tape works, beside its mode.

    `kind`: a "model" tape plays each interaction once, in recorded order; a "tools" tape is shared
    by a leg's agents and plays any number of times. `owner` names the recorder's journal of a
    shared tape. `tags` maps text that differs between runs to a constant ("{{aar:work}}", ...): it
    is written to the cassette in its place and put back into replayed answers. `secrets`: None
    means the environment's. `lacking`: what a recording needs and this machine has not, and where to get
    it, for the message where there is nothing to replay.
    """

    kind: TapeKind = "model"
    owner: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    secrets: Secrets | None = None
    lacking: str = ""


def open_tape(
    path: Path,
    *,
    mode: TapeMode,
    metadata: Metadata | None = None,
    options: TapeOptions | None = None,
) -> Tape:
    """Open the cassette at `path` for one race.

    `none` replays; `once` replays what is there, else records (going on with an interrupted
    recording); `all` records anew, the old cassette is replaced by `save`; `extend` replays what
    is recorded and adds what is not.

    Raises:
        CassetteMissing: nothing to replay.
        CassetteCorrupted: the cassette is not whole.
        ReplayDiverged: the cassette belongs to another state of the leg.
        InfrastructureError: recording, and another recorder is at it, or the folder can't be
            written.
    """
    metadata, options = metadata or Metadata(), options or TapeOptions()
    there = cassette_file.exists(path)
    if mode == "none" or (mode == "once" and there):
        return _replaying(path, metadata, options)
    return _recording(path, mode, metadata, options)


def _replaying(path: Path, metadata: Metadata, options: TapeOptions) -> Tape:
    if not cassette_file.exists(path):
        partial = len(read_journal(partial_path(path, options.owner)))
        raise missing(path, partial, asks_model=bool(metadata.model), lacking=options.lacking)
    recording = cassette_file.read(path)
    check_leg(recording.metadata, metadata, path)
    return Tape(
        path=path,
        reel=_reel(path, options, recording.interactions, recording=False),
        canonical=_canonical(options),
        recorder=None,
        stale=stale_fields(recording.metadata, metadata),
        open_ends=recording.open_ends,
    )


def _recording(path: Path, mode: TapeMode, metadata: Metadata, options: TapeOptions) -> Tape:
    shared = options.kind == "tools"
    target = Target(
        path=path,
        metadata=Metadata(world_hash=metadata.world_hash) if shared else metadata,
        secrets=_secrets(options),
        shared=shared,
        renew=mode == "all",
    )
    old: Sequence[Interaction] = target.old() if shared or mode == "extend" else ()
    recorder = Recorder.open(target, partial_path(path, options.owner), resume=mode != "all")
    if shared:
        old = [each for each in old if not is_passing(each)]
    loaded = recorder.resumed if mode == "all" else (*old, *recorder.resumed)
    return Tape(
        path=path,
        reel=_reel(path, options, loaded, recording=True),
        canonical=_canonical(options),
        recorder=recorder,
    )


def _reel(
    path: Path, options: TapeOptions, loaded: Sequence[Interaction], *, recording: bool
) -> Reel:
    return Reel(str(path), loaded, recording=recording, repeats=options.kind == "tools")


def _canonical(options: TapeOptions) -> Canonical:
    return Canonical(secrets=_secrets(options), tags=options.tags)


def _secrets(options: TapeOptions) -> Secrets:
    return Secrets.of() if options.secrets is None else options.secrets
