"""The race under the lookout's eyes: its needles, its box, the decoy, and what all of it came to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_aar.box import BoxAround
from pytest_aar.lookout import (
    DECOY_CANARY,
    DECOY_NAME,
    DecoyWatch,
    Lookout,
    NamedPath,
    decoy_at,
    found_in,
    guid_needle,
    leg_needles,
    leg_paths,
    names_another,
    names_gateway,
    path_needle,
    undumpable,
)

if TYPE_CHECKING:
    from pytest_aar.box import Box, CommandResult, CommandSpec
    from pytest_aar.leg import Leg
    from pytest_aar.lookout import Needle
    from pytest_aar.settings import Settings

    from .records import Attempt


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """Where the answers to a leg lie: pytest's root folder, the leg's file, the run's results (None: unknown).

    `validity` is the class by which the leg was chosen for the race, "" if by none.
    """

    root: Path = Path()
    file: Path | None = None
    results: Path | None = None
    validity: str = ""


@dataclass(slots=True, kw_only=True)
class Watch:
    """A race's lookout and the watch on the decoy, if there is one."""

    lookout: Lookout
    decoy: DecoyWatch | None = None
    decoy_name: str = ""

    def told(self, attempt: Attempt) -> Attempt:
        """The attempt with what was seen; ask when its agent is at its end."""
        found = (*self.lookout.contaminated, *self._decoy_line())
        return replace(attempt, contaminated=found, unobserved=self.lookout.unobserved)

    def _decoy_line(self) -> Iterator[str]:
        # somebody else's reading is nothing to a race that could not have read it
        if self.decoy is not None and self.lookout.reaches_files and self.decoy.seen():
            yield (
                f"the decoy {self.decoy_name} was opened while this race ran: by its agent, by another race "
                "of this run, or by another program of this machine"
            )


@contextmanager
def watched(
    leg: Leg, grounds: Grounds, settings: Settings, workdir: Path, *, reads_itself: bool = False
) -> Iterator[Watch]:
    """Watch one race in its work folder; this process can't be looked into meanwhile.

    `reads_itself`: the agent is code of the user's in this process.
    """
    decoy = decoy_at(settings.legs_root)
    needles = tuple(_needles(leg, grounds, settings, workdir))
    watch = Watch(lookout=Lookout(needles, watches_web=True, reads_itself=reads_itself))
    if decoy is not None:
        watch.decoy, watch.decoy_name = DecoyWatch.on(decoy), decoy.name
    try:
        with undumpable():
            yield watch
    finally:
        if watch.decoy is not None:
            watch.decoy.close()


def _needles(leg: Leg, grounds: Grounds, settings: Settings, workdir: Path) -> Iterator[Needle]:
    ids = {
        "the leg's canary": leg.metadata.get("canary"),
        "the leg's trail id": leg.trail_id,
        "the hash of the leg's file": leg.sha256,
    }
    legs, tapes = settings.legs_root.name, settings.cassettes.name
    paths = [
        *leg_paths(grounds.file, root=grounds.root, legs=legs, leg_id=leg.leg_id),
        NamedPath(what="the path of the leg's recordings", path=f"{tapes}/{leg.leg_id}/"),
        *(NamedPath(what="the folder of results", path=path) for path in _results(grounds.results)),
    ]
    what, below = f"the decoy {DECOY_NAME}", f"{legs}/{DECOY_NAME}"
    decoy = guid_needle(DECOY_CANARY, what), path_needle(NamedPath(what=what, path=below))
    # an agent may say where it works
    honest = f"{workdir}/ {workdir.resolve()}/".encode("utf-8", "surrogateescape")
    for needle in (*leg_needles(ids, paths), *decoy):
        if needle is not None and not found_in([needle], honest):
            yield needle


def _results(run: Path | None) -> tuple[str, ...]:
    return () if run is None else (f"{run}/traces/", f"{run}/results.jsonl")


class WatchedBox(BoxAround):
    """Another box whose commands and their outputs the lookout sees."""

    def __init__(self, inner: Box, lookout: Lookout) -> None:
        super().__init__(lambda: inner)
        self._lookout = lookout

    def run(self, spec: CommandSpec) -> CommandResult:
        """As in the inner box."""
        self.inside(spec.workdir)  # first of all: a late box is made, and has its name
        name = self._lookout.command(spec.command, stdin=spec.stdin or "")
        self._lookout.ran(self.name)  # before, too: a race may be over before its last command is
        try:
            result = super().run(spec)
        finally:
            self._lookout.ran(self.name)
        said = result.output + result.tail
        self._lookout.output(said, name)
        for text, where in ((str(spec.command), name), (said, f"the output of {name}")):
            if names_gateway(text) and names_another(text, self.gateway_url()):
                self._lookout.note(f"the address of another race in {where}")
        return result
