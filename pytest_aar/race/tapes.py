"""The recordings of one race, opened as `--aar-record` says."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

from pytest_aar.errors import InfrastructureError, ReplayDiverged
from pytest_aar.settings import zim_choice

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_aar.cassettes import RaceFiles, RaceTapes
    from pytest_aar.leg import Leg
    from pytest_aar.settings import Settings

    from .records import Entrant


def open_tapes(
    settings: Settings, leg: Leg, entrant: Entrant, *, prompt: str, workdir: Path, again: bool
) -> RaceTapes:
    """The tapes of one race. `again`: the live race of mode `diverged`.

    Raises InfrastructureError when there is nothing to replay or nothing can be recorded.
    """
    from pytest_aar import cassettes  # noqa: PLC0415 - loads vcrpy, no check of settings needs it

    files = _files(settings, leg, entrant)
    metadata = cassettes.Metadata(
        leg_sha256=leg.sha256,
        agent=entrant.agent,
        agent_version=entrant.version,
        model=entrant.model or "",
        prompt_hash=hash_of(prompt),
        tool_schema_hash=schema_hash(),
        world_hash=entrant.world_hash or "",
        wiki_at=_wiki_at(settings, leg, entrant.world),
        plugin_version=version("pytest-aar"),
    )
    options = cassettes.TapeOptions(tags={str(workdir): "{{aar:work}}"}, lacking=_lacking(settings))
    return cassettes.tapes_for(
        settings.record, files, metadata=metadata, options=options, again=again
    )


def _wiki_at(settings: Settings, leg: Leg, world: str) -> str:
    """For the recording: what articles the race reads; "" in worlds that have them of one time only."""
    from pytest_aar.gateway.wiki_pin import wiki_at  # noqa: PLC0415 - loads httpx

    return (wiki_at(settings, leg, world) or "latest") if world == "live" else ""


def _lacking(settings: Settings) -> str:
    """What of the world's file is not here; a replay takes none, and nobody records without it."""
    choice = zim_choice(settings.world)
    if choice is None or settings.record != "none":
        return ""
    from pytest_aar.zim import lacking  # noqa: PLC0415 - only this world needs it

    return lacking(choice.path)


def goes_live(settings: Settings, leg: Leg, entrant: Entrant, *, again: bool) -> bool:
    """Whether the race's model calls would go to a model, not to a recording: they cost then."""
    if entrant.model is None or settings.record == "none":
        return False
    if settings.record == "diverged":
        return again
    if settings.record == "once":
        from pytest_aar.cassettes import cassette_file  # noqa: PLC0415 - loads vcrpy

        recorded = _files(settings, leg, entrant).model
        return recorded is None or not cassette_file.exists(recorded)
    return True


def asks_services(settings: Settings, leg: Leg, entrant: Entrant, *, again: bool) -> bool:
    """Whether the race's tools surely ask live services: not where a recording may answer."""
    if not _has_services(entrant.world) or settings.record == "none":
        return False
    if settings.record == "diverged":
        return again
    if settings.record in ("once", "tools"):
        from pytest_aar.cassettes import cassette_file  # noqa: PLC0415 - loads vcrpy

        recorded = _files(settings, leg, entrant).tools
        return recorded is None or not cassette_file.exists(recorded)
    return True


def _has_services(world: str) -> bool:
    """Whether live services answer in a world: all tools, or all but those that a ZIM file answers."""
    choice = zim_choice(world)
    return world == "live" or (choice is not None and not choice.with_sandbox)


def _files(settings: Settings, leg: Leg, entrant: Entrant) -> RaceFiles:
    from pytest_aar.cassettes import RaceFiles  # noqa: PLC0415 - loads vcrpy

    return RaceFiles.of(
        settings.cassettes,
        leg.leg_id,
        agent=entrant.recorded_as or entrant.agent,
        model=entrant.model,
        repeat=entrant.repeat,
        live_world=entrant.world != "sandbox",
    )


def fault_of(tapes: RaceTapes, *, strict: bool) -> InfrastructureError | None:
    """What the recordings say against a finished race, though its agent may have gone on over it."""
    for tape in (tapes.model, tapes.tools):
        if tape is not None and tape.fault is not None:
            return tape.fault
    unplayed = len(tapes.model.unplayed) if tapes.model is not None else 0
    if strict and unplayed:
        return ReplayDiverged(
            f"{unplayed} recorded model calls were not asked for, and --aar-strict-replay is on; "
            "record again with --aar-record=all"
        )
    return None


def counts_of(tapes: RaceTapes) -> dict[str, int] | None:
    """Hits, misses and unplayed interactions; None when no model call was replayed."""
    tape = tapes.model
    if tape is None or not tape.replaying:
        return None
    return {"hits": tape.hits, "misses": len(tape.misses), "unplayed": len(tape.unplayed)}


@cache
def schema_hash() -> str:
    """Of the schemas of all tools."""
    from pytest_aar.tools import TOOLS, schema  # noqa: PLC0415 - loads pydantic

    return hash_of(json.dumps([schema(tool) for tool in TOOLS], sort_keys=True))


def hash_of(text: str) -> str:
    """SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()
