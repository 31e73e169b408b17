"""The agents that npm installs, by their names."""

from collections.abc import Callable, Mapping

from . import claude_code, codex
from .npm_program import NpmProgram

FROM_NPM: Mapping[str, Callable[[], NpmProgram]] = {
    "claude-code": claude_code.npm_program,
    "codex": codex.npm_program,
}


def warnings_of(agent: str, version: str, isolation: str | None) -> tuple[str, ...]:
    """What is to be said of races of this agent: a version that no race was tested with, policies of the machine."""
    if agent not in FROM_NPM or not version:
        return ()
    program = FROM_NPM[agent]()
    policy = program.policy_warning() if isolation == "none" else None
    return tuple(said for said in (program.warning(version), policy) if said)
