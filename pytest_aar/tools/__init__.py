"""The 19 tools: a registry, a dispatcher, and the services they talk to."""

from pytest_aar.tools.client import client_source
from pytest_aar.tools.country_names import CountryBook, CountryRecord
from pytest_aar.tools.dispatch import call, check, shown
from pytest_aar.tools.endpoints import LIVE, SANDBOX, Endpoints
from pytest_aar.tools.outside import PublicPages, Reach
from pytest_aar.tools.python_runner import SubprocessRunner
from pytest_aar.tools.registry import ALIASES, TOOL_NAMES, TOOLS, Tool, schema, tool_named
from pytest_aar.tools.result import ERROR_KINDS, ErrorKind, ToolResult
from pytest_aar.tools.services import (
    PythonRun,
    PythonRunner,
    RefuseEverything,
    Services,
    TransportDecides,
    UrlGuard,
    WriteCode,
)

__all__ = [
    "ALIASES",
    "ERROR_KINDS",
    "LIVE",
    "SANDBOX",
    "TOOLS",
    "TOOL_NAMES",
    "CountryBook",
    "CountryRecord",
    "Endpoints",
    "ErrorKind",
    "PublicPages",
    "PythonRun",
    "PythonRunner",
    "Reach",
    "RefuseEverything",
    "Services",
    "SubprocessRunner",
    "Tool",
    "ToolResult",
    "TransportDecides",
    "UrlGuard",
    "WriteCode",
    "call",
    "check",
    "client_source",
    "schema",
    "shown",
    "tool_named",
]
