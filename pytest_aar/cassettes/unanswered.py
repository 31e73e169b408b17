"""Requests that went to the network and have no answer yet: what a race that runs out of time waits for."""

from pytest_aar.cassettes.asked import Asked


class Unanswered:
    """The requests of one recording race that are on their way, numbered as they were sent."""

    def __init__(self) -> None:
        self._sent: dict[int, str] = {}
        self._dropped: set[int] = set()

    def send(self, number: int, asked: Asked) -> None:
        """One more; the client goes on without those that it has given up."""
        for dropped in self._dropped:
            self._sent.pop(dropped, None)
        self._dropped.clear()
        self._sent[number] = asked.key

    def end(self, number: int) -> None:
        """It has its answer."""
        self._sent.pop(number, None)

    def drop(self, number: int) -> None:
        """Nobody waits for it any more, for the client gave up or the race is over: what comes next tells."""
        self._dropped.add(number)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of those that the client had not gone on from."""
        return tuple(dict.fromkeys(self._sent.values()))
