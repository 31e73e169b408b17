"""What an agent is, and all that it is given of a race."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import httpx

from pytest_aar.box import Box
from pytest_aar.leg import ClueEnvelope
from pytest_aar.trace import Finish


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The race's limits: wall clock in seconds; `steps` only when it is enforced (by the gateway)."""

    seconds: float = 600.0
    steps: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """One race as an agent sees it: nothing of the leg beyond the clue envelope.

    `http` is based at the race's routes on the gateway, in process: `POST tools/{name}` and
    `POST openai/v1/chat/completions` (relative URLs). `url` and `tools_url` are the same for child processes
    in the box; the first use may start a server. `prompt` is the task's whole text. `model` is the model's name,
    None when the run has none. `options` are the agent's options as given.
    """

    workdir: Path
    http: httpx.AsyncClient
    prompt: str
    box: Box
    model: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """`http://127.0.0.1:PORT/r/TOKEN`: the gateway for any program in the box."""
        return self.box.gateway_url()

    @property
    def tools_url(self) -> str:
        """What `AAR_GATEWAY` holds where only `tools.py` reads it; it may name a socket."""
        return self.box.tools_url()


class Agent(Protocol):
    """An agent races one leg. `version` goes into results and cassettes.

    Optional attributes: `how_to_call` (the paragraph of the prompt that says how tools are called and how
    the answer is given; default: over HTTP), `needs_model` (default True), `boxed` (True: its work is done by
    programs in the box; default False) and `programs() -> tuple[Path, ...]` (files and folders of this
    machine that these programs need to see).
    """

    name: str

    def version(self) -> str:
        """The agent's version; raises AgentNotInstalled with the command that installs it."""
        ...

    async def run(self, envelope: ClueEnvelope, course: Course, limits: Limits) -> Finish:
        """Race to the end. An InfrastructureError says that the race could not be run."""
        ...
