"""Checking an agent's options: unknown names, values outside the choices."""

import shlex
from collections.abc import Mapping

from pytest_aar.errors import ConfigurationError


def checked_options(
    agent: str, options: Mapping[str, str], choices: Mapping[str, tuple[str, ...]]
) -> dict[str, str]:
    """The options; `choices` are the valid values by name, () for any text."""
    unknown = sorted(set(options) - set(choices))
    if unknown:
        raise ConfigurationError(
            f"agent {agent!r} has no option {', '.join(unknown)}; valid: {', '.join(choices)}"
        )
    for name, value in options.items():
        if choices[name] and value not in choices[name]:
            raise ConfigurationError(
                f"agent {agent!r}: {name}={value!r} is not valid; choose {' or '.join(choices[name])}"
            )
    return dict(options)


def extra_arguments(agent: str, text: str) -> tuple[str, ...]:
    """The option `args`, split as a shell does."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise ConfigurationError(
            f"agent {agent!r}: args={text!r} can't be split: {error}"
        ) from error
