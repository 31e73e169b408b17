"""A box for agents that mostly need none: made when it is first asked for anything."""

from collections.abc import Callable
from threading import Lock

from .around import BoxAround
from .box import Box


class LateBox(BoxAround):
    """Makes its inner box at the first use; `name` is "in-process" until then."""

    def __init__(self, make: Callable[[], Box]) -> None:
        super().__init__(self._made)
        self._make = make
        self._box: Box | None = None
        self._stopped = False
        self._making = Lock()

    def _made(self) -> Box:
        with self._making:  # commands may be run side by side
            if self._box is None:
                self._box = self._make()
                if self._stopped:
                    self._box.stop()
            return self._box

    @property
    def name(self) -> str:
        """The inner box's."""
        return "in-process" if self._box is None else self._box.name

    def stop(self) -> None:
        """As in the inner box, if there is one."""
        self._stopped = True
        if self._box is not None:
            self._box.stop()
