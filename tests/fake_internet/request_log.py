"""What was asked of the fake internet, and how it was answered."""

import hashlib
import threading
from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One request. `url` is path and query as sent; `fault` says what was done to it; `began` in seconds."""

    service: str
    method: str
    url: str
    body: bytes = field(default=b"", repr=False)
    status: int
    fault: str | None
    began: float

    @property
    def body_hash(self) -> str:
        """A short name of the body; "" for none."""
        return hash_of(self.body)

    @property
    def question(self) -> tuple[str, str, str]:
        """What makes two requests the same one."""
        return (self.method, self.url, self.body_hash)


@dataclass(kw_only=True)
class RequestLog:
    """All requests, in the order of their answers."""

    entries: list[Entry] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, entry: Entry) -> None:
        """One more."""
        with self._lock:
            self.entries.append(entry)

    def of(self, service: str) -> list[Entry]:
        """Those to a service."""
        return [entry for entry in self.entries if entry.service == service]

    def answered_more_than_once(self) -> dict[tuple[str, str, str], int]:
        """Requests that got a good and whole answer more than once, with how often."""
        good = Counter(
            e.question for e in self.entries if e.status < 400 and e.fault in (None, "slow")
        )
        return {question: count for question, count in good.items() if count > 1}


def hash_of(body: bytes) -> str:
    """A short name of a body; "" for none."""
    return hashlib.sha256(body).hexdigest()[:12] if body else ""
