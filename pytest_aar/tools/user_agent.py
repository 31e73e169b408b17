"""How we introduce ourselves to services."""

from functools import cache
from importlib.metadata import PackageNotFoundError, version

import httpx

_PROJECT = "https://pypi.org/project/pytest-aar/"


@cache
def user_agent(contact: str | None) -> str:
    """A User-Agent as Wikimedia's policy wants it: name, version, where to reach its people.

    It is honest, and Yahoo, which refuses the default ones of libraries, takes it as well.
    """
    try:
        number = version("pytest-aar")
    except PackageNotFoundError:  # run from a checkout that is not installed
        number = "0"
    reachable = " ".join((contact or _PROJECT).encode("ascii", "replace").decode().split())
    return f"pytest-aar/{number} ({reachable}) httpx/{httpx.__version__}"
