"""The servers that have answered a run: what it has reached once may be lost for a moment only."""

from pathlib import Path

from .shared_state import SharedState


class Reached:
    """Those of one run, in a folder that its workers share; None: of this process."""

    def __init__(self, folder: Path | None = None) -> None:
        self._known: set[str] = set()
        self._shared = SharedState(folder / "reached.json") if folder is not None else None

    def add(self, server: str) -> None:
        """Note that it has answered."""
        if self.has(server):
            return
        self._known.add(server)
        if self._shared is not None:
            with self._shared.changing() as known:
                known[server] = True

    def has(self, server: str) -> bool:
        """Whether it has answered any worker."""
        if server not in self._known and self._shared is not None:
            self._known.update(self._shared.read())
        return server in self._known
