"""What a run was: `run.json`."""

import hashlib
import subprocess
import sys
import time
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from pytest_aar.guarded import secrets_of
from pytest_aar.lookout import DECOY_NAME
from pytest_aar.settings import Settings, world_label

#: Distributions whose version can change a result.
_PACKAGES = ("pytest-aar", "pytest", "pytest-xdist", "httpx", "vcrpy", "mini-swe-agent")


#: git would open the decoy to compare it, and races under way in this checkout would count as contaminated.
_CHANGES = (
    "status",
    "--porcelain",
    "--untracked-files=no",
    "--",
    ".",
    f":(exclude,glob)**/{DECOY_NAME}",
)


def provenance_of(
    run: Path,
    settings: Settings,
    folder: Path,
    *,
    isolation: str = "in-process",
    tested: Mapping[str, Any] | None = None,
    world_file: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Where a run's figures come from, as builtin types.

    `subject` is what is tested, `profile` the measure it is tested with: two runs are comparable when their
    profiles and legs agree. `tested` is more of the subject: what settings alone don't tell; `world_file` tells
    which ZIM file answered.
    """
    facts = {
        "schema": 1,
        "run": run.name,
        "subject": {
            "agent": settings.agent,
            "agent_options": dict(settings.agent_options),
            "model": settings.model,
            "model_options": dict(settings.model_options),
            "pacer": settings.pacer if settings.model == "pacer" else "",
            "prompt": _hash(settings.prompt),
            **(tested or {}),
        },
        "profile": {
            "world": world_label(settings.world),
            "isolation": isolation,
            "timeout": settings.timeout,
            "max_steps": settings.max_steps,
            "max_race_tokens": settings.max_race_tokens,
            "max_race_cost": settings.max_race_cost,
            "repeat": settings.repeat,
            "tool_output": settings.tool_characters,
            "services": dict(settings.services),
            "python_tool": settings.python_tool,
            "wiki_at": settings.wiki_at,
            "error_threshold": settings.error_threshold,
            **({"world_file": dict(world_file)} if world_file else {}),
        },
        "options": {"record": settings.record, "gate": list(settings.gate)},
        "versions": versions(),
        "git_commit": git_commit(folder),
        "started_at": time.time(),
    }
    clean: dict[str, Any] = secrets_of(settings).clean(facts)
    return clean


def _hash(path: Path | None) -> str | None:
    return None if path is None else hashlib.sha256(path.read_bytes()).hexdigest()


def versions() -> dict[str, str]:
    """Installed versions of Python and of the packages that matter."""
    found = {"python": ".".join(str(part) for part in sys.version_info[:3])}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # an optional one
            continue
    return found


def git_commit(folder: Path) -> str | None:
    """The commit checked out at the folder, `+` appended when files differ from it; None without git."""
    commit = _git(folder, "rev-parse", "HEAD")
    if commit is None:
        return None
    return f"{commit}+" if _git(folder, *_CHANGES) else commit


def _git(folder: Path, *arguments: str) -> str | None:
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
