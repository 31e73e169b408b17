"""From an agent's name to the agent: short names, entry points, import paths."""

import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import entry_points
from typing import Any

from pytest_aar import prompt
from pytest_aar.errors import AgentNotInstalled, ConfigurationError
from pytest_aar.leg import ClueEnvelope

from .protocol import Agent

#: Short name -> module of this package that holds its `make(options) -> Agent`.
_BUILT_IN = {
    "claude-code": "claude_code",
    "codex": "codex",
    "command": "command",
    "golden": "walker",
    "mini-swe": "mini_swe",
    "react": "react",
}
AGENT_NAMES = tuple(_BUILT_IN)
_GROUP = "pytest_aar.agents"
#: Raced by `aar play` alone.
_PERSON = "human"


def make_agent(name: str, options: Mapping[str, str] | None = None) -> Agent:
    """The agent of that short name, entry point or `package.module:Class`, made with its options.

    Raises ConfigurationError for unknown names and options, AgentNotInstalled for missing packages.
    """
    options = dict(options or {})
    if name == _PERSON:
        raise ConfigurationError(
            f"agent {name!r} is a person at a terminal, whom pytest can't ask: race a leg yourself with "
            "aar play LEG"
        )
    if name in _BUILT_IN:
        module = importlib.import_module(f"pytest_aar.agents.{_BUILT_IN[name]}")
        agent: Agent = module.make(options)
        return agent
    from .own_loop import OwnLoop  # noqa: PLC0415 - only users' agents need it

    return OwnLoop(_construct(_users_class(name), name, options), name)


def prompt_for(agent: Agent, envelope: ClueEnvelope, template: str | None = None) -> str:
    """The prompt of this agent for this envelope: one template, each agent's own way to call tools."""
    how = getattr(agent, "how_to_call", prompt.OVER_HTTP)
    return prompt.render(
        envelope, tools=tool_texts(envelope.tools), how_to_call=how, template=template
    )


def tool_texts(names: Sequence[str]) -> list[prompt.ToolText]:
    """The named tools as the prompt and function calling show them."""
    from pytest_aar.tools import schema, tool_named  # noqa: PLC0415 - loads every tool's models

    found = [tool for name in names if (tool := tool_named(name)) is not None]
    return [
        prompt.ToolText(name=tool.name, description=tool.description, schema=schema(tool))
        for tool in found
    ]


def needs_model(agent: Agent) -> bool:
    """Whether the agent can't race without a model (an agent that does not say is taken to need one)."""
    return bool(getattr(agent, "needs_model", True))


def _users_class(name: str) -> Callable[..., Any]:
    points = {point.name: point for point in entry_points(group=_GROUP)}
    if name in points:
        loaded: Callable[..., Any] = points[name].load()
        return loaded
    if ":" not in name:
        valid = ", ".join(sorted({*_BUILT_IN, *points}))
        raise ConfigurationError(
            f"unknown agent {name!r}; valid: {valid}, or package.module:Class for a class of yours"
        )
    return _import_class(name)


def _import_class(name: str) -> Callable[..., Any]:
    module_name, _, attribute = name.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and not f"{module_name}.".startswith(f"{error.name}."):
            raise AgentNotInstalled(
                f"agent {name!r} needs the package {error.name!r}: pip install it"
            ) from error
        raise ConfigurationError(
            f"agent {name!r}: no module {error.name!r} on sys.path; run pytest where it can be imported, "
            "or add its folder to the ini option `pythonpath`"
        ) from error
    found: Callable[..., Any] | None = getattr(module, attribute, None)
    if found is None:
        classes = [key for key, value in vars(module).items() if inspect.isclass(value)]
        raise ConfigurationError(
            f"agent {name!r}: module {module_name!r} has no {attribute!r}; its classes: {', '.join(classes) or 'none'}"
        )
    return found


def _construct(found: Callable[..., Any], name: str, options: Mapping[str, str]) -> Any:
    if not callable(found):
        raise ConfigurationError(f"agent {name!r} is not a class or a function that makes an agent")
    try:
        inspect.signature(found).bind(**options)
    except TypeError as error:
        given = ", ".join(sorted(options)) or "none"
        raise ConfigurationError(
            f"agent {name!r} can't be made with the options given ({given}): {error}"
        ) from error
    agent = found(**options)
    if not inspect.iscoroutinefunction(getattr(agent, "run", None)):
        raise ConfigurationError(
            f"agent {name!r} has no `async def run(self, envelope, course, limits)`: see docs, agents of your own"
        )
    return agent
