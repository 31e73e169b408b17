"""What a run tests, as far as its settings alone don't tell."""

from __future__ import annotations

import hashlib
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .boxes import programs_of
from .tapes import hash_of, schema_hash

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_aar.agents import Agent
    from pytest_aar.settings import Settings

#: The version of agents that have none.
_UNVERSIONED = "0"
#: Bytes; a file that is larger is no program that somebody writes by hand.
_LARGEST = 5_000_000
#: Where systems keep their programs.
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
#: The part of it where containers keep projects.
_PROJECTS = "/usr/src"


def subject_of(settings: Settings, agent: Agent | None) -> dict[str, Any]:
    """More of a run's subject; what does not apply is left out, for it is not compared then.

    `agent` is the one that the settings name, None where tests bring their own.
    """
    found: dict[str, Any] = {"tools": schema_hash()}
    if settings.prompt is None:
        from pytest_aar.prompt import OVER_HTTP, TEMPLATE  # noqa: PLC0415 - only races need it

        found["default_prompt"] = hash_of(TEMPLATE + getattr(agent, "how_to_call", OVER_HTTP))
    if settings.model not in (None, "pacer") and settings.record != "none":  # replay asks no server
        from pytest_aar.gateway.upstream import model_route  # noqa: PLC0415 - loads httpx

        route = model_route(settings)
        found["base_urls"] = dict(route.base_urls) if route is not None else {}
    if agent is not None and agent.version() == _UNVERSIONED:
        source = _source_hash(agent)
        found |= {"agent_source": source} if source else {}
    return found


def _source_hash(agent: Agent) -> str | None:
    """Of the files that an agent without a version is; None where none is known."""
    sources: Any = getattr(agent, "sources", None)
    named = sources() if callable(sources) else _own(programs_of(agent))
    contents = [content for path in sorted(named) if (content := _content(path)) is not None]
    if not contents:
        return None
    return hashlib.sha256(b"".join(hashlib.sha256(each).digest() for each in contents)).hexdigest()


def _own(programs: tuple[Path, ...]) -> list[Path]:
    """Without the machine's, which differ from one to the next: the shell, an interpreter."""
    machine = (*_SYSTEM, sys.base_prefix, sys.prefix)
    return [
        path
        for path in programs
        if path.is_relative_to(_PROJECTS) or not any(map(path.is_relative_to, machine))
    ]


def _content(path: Path) -> bytes | None:
    """None: no file, a large one, or one that may be run and not read."""
    with suppress(OSError):
        if path.is_file() and path.stat().st_size <= _LARGEST:
            return path.read_bytes()
    return None
