"""The shell that runs command lines: looked for once, where commands inside a sandbox see it, too."""

import os
from functools import cache

from pytest_aar.errors import ConfigurationError

_PLACES = ("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/bin/sh", "/usr/bin/sh")


@cache
def shell() -> str:
    """The path of bash, or of sh where there is none (Alpine, NixOS).

    Raises:
        ConfigurationError: there is neither.
    """
    return first_shell(_PLACES)


def first_shell(places: tuple[str, ...]) -> str:
    """The first of these that can be run; raises ConfigurationError when none can."""
    for path in places:
        if os.access(path, os.X_OK):
            return path
    raise ConfigurationError(
        f"this machine has no shell to run an agent's commands with: looked for {', '.join(places)}; "
        "install bash, or link one of these paths to a shell"
    )
