"""What the races of one run have spent, over all its workers: a file that everybody appends to."""

import json
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Tokens and US dollars; `cost` counts calls without a known price as nothing."""

    tokens: int = 0
    cost: float = 0.0

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(tokens=self.tokens + other.tokens, cost=self.cost + other.cost)


class Ledger:
    """One line per model call, written when it ends: a worker that is killed takes nothing with it.

    No lock: a short line appended in one write is whole and in nobody's way.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read_to = 0
        self._spent = Spent()

    def add(self, spent: Spent) -> None:
        """Note one call."""
        line = json.dumps([spent.tokens, spent.cost]).encode() + b"\n"
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(handle, line)
        finally:
            os.close(handle)

    def spent(self) -> Spent:
        """The sum so far; reads what was added since the last time."""
        try:
            with self._path.open("rb") as stream:
                stream.seek(self._read_to)
                found = stream.read()
        except FileNotFoundError:
            return self._spent
        whole = found[: found.rfind(b"\n") + 1]
        for line in whole.splitlines():
            tokens, cost = json.loads(line)
            self._spent += Spent(tokens=tokens, cost=cost)
        self._read_to += len(whole)
        return self._spent
