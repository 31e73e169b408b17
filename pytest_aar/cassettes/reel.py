"""A `vcr.cassette.Cassette` of ours: driven through its public methods, nothing is patched."""

from collections.abc import Sequence
from typing import Any

from vcr.cassette import Cassette  # type: ignore[import-untyped]  # vcrpy ships no types
from vcr.persisters.filesystem import CassetteNotFoundError  # type: ignore[import-untyped]  # same
from vcr.record_mode import RecordMode  # type: ignore[import-untyped]  # same
from vcr.request import Request  # type: ignore[import-untyped]  # same

from pytest_aar.cassettes.asked import Asked, Interaction


class _KeyedRequest(Request):  # type: ignore[misc]  # its base class has no types
    """A request that carries its canonical form; the only matcher looks at its key."""

    def __init__(self, asked: Asked) -> None:
        super().__init__(asked.method, asked.uri, None, {})
        self.asked = asked

    def __str__(self) -> str:
        # vcrpy formats both requests of each pair that it compares, for a log that nobody reads.
        return str(self.method)


def same_key(one: Any, other: Any) -> bool:
    """The matcher. vcrpy's own ignore bodies, or take seconds to compare them."""
    return bool(one.asked.key == other.asked.key)


class _Loaded:
    """The persister: hands over what was read; saving goes through `cassette_file`."""

    def __init__(self, interactions: Sequence[Interaction] | None) -> None:
        self._interactions = interactions

    def load_cassette(self, path: str, serializer: object) -> tuple[list[Any], list[Any]]:
        if self._interactions is None:
            raise CassetteNotFoundError(path)
        requests = [_KeyedRequest(each.asked) for each in self._interactions]
        return requests, [_response(each) for each in self._interactions]

    def save_cassette(self, path: str, cassette_dict: object, serializer: object) -> None:
        raise NotImplementedError("Tape.save writes our own files")


class Reel:
    """Interactions in order, and which of them were played.

    `repeats`: an interaction may be played any number of times (tool traffic). Otherwise equal
    requests get their answers one after the other.
    """

    def __init__(
        self, path: str, loaded: Sequence[Interaction] | None, *, recording: bool, repeats: bool
    ) -> None:
        self.repeats = repeats
        self._loaded = len(loaded or ())
        self._keys = frozenset(each.asked.key for each in loaded or ())
        self._cassette = Cassette.load(
            path=path,
            persister=_Loaded(loaded),
            match_on=(same_key,),
            record_mode=RecordMode.NEW_EPISODES if recording else RecordMode.NONE,
            allow_playback_repeats=repeats,
        )

    def play(self, asked: Asked) -> Interaction | None:
        """The next answer to this request, or None."""
        request = _KeyedRequest(asked)
        if not self._cassette.can_play_response_for(request):
            return None
        played: Interaction = self._cassette.play_response(request)["interaction"]
        return played

    def knows(self, asked: Asked) -> bool:
        """Whether this request is among the loaded ones, played or not."""
        return asked.key in self._keys

    def append(self, interaction: Interaction) -> None:
        """Add an interaction that was recorded now."""
        self._cassette.append(_KeyedRequest(interaction.asked), _response(interaction))
        # The client has this answer already: an equal request must not get it once more.
        self._cassette.play_counts[len(self._cassette) - 1] += 1

    @property
    def interactions(self) -> list[Interaction]:
        """All of them, loaded and recorded."""
        return [response["interaction"] for response in self._cassette.responses]

    @property
    def used(self) -> list[Interaction]:
        """Those that were played or recorded now."""
        return [
            each
            for number, each in enumerate(self.interactions)
            if self._cassette.play_counts[number]
        ]

    @property
    def unplayed(self) -> list[int]:
        """Numbers of the loaded interactions that nobody asked for yet."""
        return [n for n in range(self._loaded) if not self._cassette.play_counts[n]]


def _response(interaction: Interaction) -> dict[str, Any]:
    """The shape that vcrpy gives a response; the interaction rides along, its body unread."""
    return {
        "status": {"code": interaction.status, "message": ""},
        "headers": {name: [value] for name, value in interaction.headers.items()},
        "body": {"string": interaction.body},
        "interaction": interaction,
    }
