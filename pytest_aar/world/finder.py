"""Full-text search: BM25 over the index in the data file, and titles by their beginning."""

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from math import log

from pytest_aar.world.records import Page
from pytest_aar.world.render import plain
from pytest_aar.world.text import SHARDS, fold, postings, shard_of, words

#: The usual BM25 constants.
K1, B = 1.2, 0.75
MAX_WORDS = 32
TITLE_BONUS = 12.0
MAX_SNIPPET = 280


class Finder:
    """Finds pages by words; numbers in, numbers out."""

    def __init__(
        self,
        block: Callable[[int], bytes],
        titles: list[str],
        names: Mapping[str, list[int]],
        page: Callable[[int], Page],
    ) -> None:
        self._block, self._titles, self._names, self._page = block, titles, names, page
        self._shard = lru_cache(maxsize=SHARDS)(self._read_shard)
        self._scores = lru_cache(maxsize=256)(self._score)

    def _read_shard(self, number: int) -> tuple[dict[str, tuple[int, int]], bytes]:
        head, _, data = self._block(number).partition(b"\0")
        return json.loads(head), data

    @cached_property
    def _lengths(self) -> bytes:
        return self._block(SHARDS)

    @cached_property
    def _mean_length(self) -> float:
        return sum(self._lengths) / len(self._lengths)

    @cached_property
    def _sorted(self) -> list[tuple[str, str]]:
        return sorted((fold(title), title) for title in self._titles)

    def find(self, text: str) -> list[int]:
        """Page numbers, best first: BM25, and a bonus for pages of just this name."""
        scores: dict[int, float] = defaultdict(float)
        for word in dict.fromkeys(words(text)[:MAX_WORDS]):
            for page, score in self._scores(word):
                scores[page] += score
        for page in self._names.get(fold(text), ()):
            scores[page] += TITLE_BONUS
        return sorted(scores, key=lambda page: (-scores[page], page))

    def _score(self, word: str) -> list[tuple[int, float]]:
        """The word's pages and what it adds to their scores; kept, common words cost 2 ms."""
        table, data = self._shard(shard_of(word))
        if word not in table:
            return []
        start, count = table[word]
        pages = len(self._titles)
        rarity = log(1 + (pages - count + 0.5) / (count + 0.5))
        top, base, slope = rarity * (K1 + 1), K1 * (1 - B), K1 * B / self._mean_length
        lengths = self._lengths
        return [
            (page, top * weight / (weight + base + slope * lengths[page]))
            for page, weight in postings(data, start, count)
        ]

    def snippet(self, number: int) -> str:
        """The beginning of the page's lead."""
        titles = self._titles.__getitem__
        lead = self._page(number).sections[0].blocks
        text = " ".join(plain(block, titles) for block in lead if isinstance(block, str))
        return text if len(text) <= MAX_SNIPPET else text[:MAX_SNIPPET].rsplit(" ", 1)[0] + " ..."

    def starting_with(self, text: str, limit: int) -> list[str]:
        """Titles that begin with the text, accents and case aside."""
        wanted = fold(text)
        at = bisect_left(self._sorted, (wanted, ""))
        found = self._sorted[at : at + limit]
        return [title for name, title in found if name.startswith(wanted)]
