"""The tape of a race whose model must not be asked."""

from pathlib import Path

from pytest_aar.cassettes.asked import Asked
from pytest_aar.cassettes.canonical import Canonical
from pytest_aar.cassettes.reel import Reel
from pytest_aar.cassettes.tape import Answer, Tape
from pytest_aar.errors import CassetteMissing
from pytest_aar.secrets import Secrets


class SilentTape(Tape):
    """Stands for a model's missing recording where the agent may never ask a model.

    The first call raises what was missing: replay never goes live.
    """

    def __init__(self, missing: CassetteMissing) -> None:
        super().__init__(
            path=Path(),
            reel=Reel("", (), recording=False, repeats=False),
            canonical=Canonical(secrets=Secrets(), tags={}),
            recorder=None,
        )
        self._missing = missing

    @property
    def replaying(self) -> bool:
        """There is nothing to replay."""
        return False

    def play(self, asked: Asked) -> Answer | None:
        """Raise."""
        raise self._missing
