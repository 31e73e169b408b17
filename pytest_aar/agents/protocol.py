"""What an agent is, and all that it is given of a race."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import httpx

from pytest_aar.box import Box
from pytest_aar.leg import ClueEnvelope
from pytest_aar.trace import Finish

#: What programs get for a model's key: the gateway drops it and adds the real one.
FAKE_KEY = "aar-no-key"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The race's limits: wall clock in seconds; `steps` only when it is enforced (by the gateway)."""

    seconds: float = 600.0
    steps: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """One race as an agent sees it: nothing of the leg beyond the clue envelope.

    `http` is based at the race's routes on the gateway, in process: `POST tools/{name}` and
    `POST openai/v1/chat/completions` (relative URLs). `url` is the same over TCP, for an agent's own clients
    in this process; the first use starts the server. Programs in the box have the box's addresses:
    `box.gateway_url()` and, for `tools.py`, `box.tools_url()`. `prompt` is the task's whole text. `model` is
    the model's name, None when the run has none. `options` are the agent's options as given. `was_refused` tells
    whether the last model call was answered with a refusal of the model's server: an end that a program takes
    from it is the agent's own.
    """

    workdir: Path
    http: httpx.AsyncClient
    prompt: str
    box: Box
    open_url: Callable[[], str]
    model: str | None = None
    was_refused: Callable[[], bool] = lambda: False
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """`http://127.0.0.1:PORT/r/TOKEN`, for this process."""
        return self.open_url()


class Agent(Protocol):
    """An agent races one leg. `version` goes into results and cassettes.

    Optional attributes: `how_to_call` (the paragraph of the prompt that says how tools are called and how
    the answer is given; default: over HTTP), `needs_model` (default True), `boxed` (True: its work is done by
    programs in the box; default False), `programs() -> tuple[Path, ...]` (files and folders of this
    machine that these programs need to see) and `recorded_as` (stands for `name` in the names of cassettes: races
    that ask the model otherwise have cassettes of their own).
    """

    name: str

    def version(self) -> str:
        """The agent's version; raises AgentNotInstalled with the command that installs it."""
        ...

    async def run(self, envelope: ClueEnvelope, course: Course, limits: Limits) -> Finish:
        """Race to the end. An InfrastructureError says that the race could not be run."""
        ...
