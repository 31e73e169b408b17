"""Whether the SDK of MCP is there: the extra `mcp`."""

import importlib
from importlib.util import find_spec
from types import ModuleType

from pytest_aar.errors import ConfigurationError
from pytest_aar.extras import install

_MISSING = f"MCP needs the package mcp, 2.3 or newer: {install('mcp')}"


def is_there() -> bool:
    """Whether a fitting SDK is installed; loads nothing."""
    return find_spec("mcp") is not None and find_spec("mcp_types") is not None


def loaded() -> ModuleType:
    """The module `mcp_server`; the first time it takes as long as the SDK takes to load.

    Raises:
        ConfigurationError: there is no SDK, or an old one.
    """
    try:
        return importlib.import_module("pytest_aar.tools.mcp_server")
    except ImportError as error:
        if not (error.name or "").startswith("mcp"):
            raise
        raise ConfigurationError(f"{_MISSING} ({error})") from error
