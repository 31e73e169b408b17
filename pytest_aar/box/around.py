"""A box around another one."""

from collections.abc import Callable
from pathlib import Path

from .box import Box, CommandResult, CommandSpec


class BoxAround:
    """Does what its inner box does; a subclass overrides what differs."""

    def __init__(self, inner: Callable[[], Box]) -> None:
        """`inner` gives the inner box, the same one each time."""
        self._inner = inner

    @property
    def name(self) -> str:
        """As in the inner box."""
        return self._inner().name

    def run(self, spec: CommandSpec) -> CommandResult:
        """As in the inner box."""
        return self._inner().run(spec)

    def stop(self) -> None:
        """As in the inner box."""
        self._inner().stop()

    def inside(self, path: Path) -> str:
        """As in the inner box."""
        return self._inner().inside(path)

    def python_folder(self) -> str:
        """As in the inner box."""
        return self._inner().python_folder()

    def gateway_url(self) -> str:
        """As in the inner box."""
        return self._inner().gateway_url()

    def tools_url(self) -> str:
        """As in the inner box."""
        return self._inner().tools_url()
