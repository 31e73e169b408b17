"""What a recording was made with, and what of it is stale today."""

from dataclasses import asdict, dataclass
from pathlib import Path

from pytest_aar.errors import ReplayDiverged


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """The circumstances of a recording; "" means not known, and is not compared.

    `wiki_at` is the time whose articles the race read, "latest" for those of its own time.
    """

    leg_sha256: str = ""
    agent: str = ""
    agent_version: str = ""
    model: str = ""
    prompt_hash: str = ""
    tool_schema_hash: str = ""
    world_hash: str = ""
    wiki_at: str = ""
    plugin_version: str = ""


#: Differences in these are worth a warning; a new plugin version alone is not.
_COMPARED = (
    *("agent", "agent_version", "model", "prompt_hash", "tool_schema_hash", "world_hash"),
    "wiki_at",
)
_SHOWN = 40


def stale_fields(recorded: Metadata, now: Metadata) -> tuple[str, ...]:
    """One line per circumstance that differs, as "agent_version: recorded 2.4.5, now 2.4.6"."""
    before, after = asdict(recorded), asdict(now)
    return tuple(
        f"{name}: recorded {before[name][:_SHOWN]}, now {after[name][:_SHOWN]}"
        for name in _COMPARED
        if before[name] and after[name] and before[name] != after[name]
    )


def check_leg(recorded: Metadata, now: Metadata, path: Path) -> None:
    """Refuse the recording of another state of the leg: its traffic answers another puzzle.

    Raises:
        ReplayDiverged: the leg's hash differs.
    """
    before, after = recorded.leg_sha256, now.leg_sha256
    if before and after and before != after:
        raise ReplayDiverged(
            f"{path}: recorded for another state of this leg (leg sha256 {before[:12]}, now "
            f"{after[:12]}). Record it again with --aar-record=all, or restore the leg file."
        )
