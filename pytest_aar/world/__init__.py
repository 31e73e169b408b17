"""The embedded sandbox world: an encyclopaedia and its services, hermetic and the same everywhere.

Names are imported when they are used, so that importing the package is free.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_aar.world.asgi import asgi_app
    from pytest_aar.world.records import Country, Fact, Link, Page, Summary
    from pytest_aar.world.services.dispatch import HOSTS, dispatch
    from pytest_aar.world.store import SEED_HOST, World, load
    from pytest_aar.world.transport import WorldTransport

_HOMES = {
    "HOSTS": "services.dispatch",
    "SEED_HOST": "store",
    "Country": "records",
    "Fact": "records",
    "Link": "records",
    "Page": "records",
    "Summary": "records",
    "World": "store",
    "WorldTransport": "transport",
    "asgi_app": "asgi",
    "dispatch": "services.dispatch",
    "load": "store",
}

__all__ = [
    "HOSTS",
    "SEED_HOST",
    "Country",
    "Fact",
    "Link",
    "Page",
    "Summary",
    "World",
    "WorldTransport",
    "asgi_app",
    "dispatch",
    "load",
]


def __getattr__(name: str) -> Any:
    """Import a public name from its module."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
