"""A box for agents that mostly need none: made when it is first asked for anything."""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from .box import Box, CommandResult, CommandSpec


class LateBox:
    """Makes its inner box at the first use; `name` is "in-process" until then."""

    def __init__(self, make: Callable[[], Box]) -> None:
        self._make = make
        self._stopped = False

    @cached_property
    def _inner(self) -> Box:
        box = self._make()
        if self._stopped:
            box.stop()
        return box

    @property
    def name(self) -> str:
        """The inner box's."""
        return self._inner.name if "_inner" in self.__dict__ else "in-process"

    def run(self, spec: CommandSpec) -> CommandResult:
        """As in the inner box."""
        return self._inner.run(spec)

    def stop(self) -> None:
        """As in the inner box, if there is one."""
        self._stopped = True
        if "_inner" in self.__dict__:
            self._inner.stop()

    def inside(self, path: Path) -> str:
        """As in the inner box."""
        return self._inner.inside(path)

    def gateway_url(self) -> str:
        """As in the inner box."""
        return self._inner.gateway_url()

    def tools_url(self) -> str:
        """As in the inner box."""
        return self._inner.tools_url()
