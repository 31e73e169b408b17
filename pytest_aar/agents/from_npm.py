"""The agents that npm installs, by their names."""

from collections.abc import Callable, Mapping

from . import claude_code, codex
from .native_program import NpmProgram

FROM_NPM: Mapping[str, Callable[[], NpmProgram]] = {
    "claude-code": claude_code.npm_program,
    "codex": codex.npm_program,
}


def version_warning(agent: str, version: str) -> str | None:
    """What is to be said of an agent's version that no race was tested with; None for all else."""
    if agent not in FROM_NPM or not version:
        return None
    return FROM_NPM[agent]().warning(version)
