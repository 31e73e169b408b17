"""The inverted index of the search service: postings in shards, unpacked one by one."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from pytest_aar.world.build.drafts import Draft
from pytest_aar.world.text import SHARDS, shard_of, varint, words

#: A word that stands on more than this share of the pages tells nothing.
MAX_SHARE = 0.15
TITLE_WEIGHT = 6
ALIAS_WEIGHT = 4
MAX_COUNT = 255
#: Sections whose paragraphs are searched.
_INDEXED = {"", "Location", "History", "Geography"}
_LINK = re.compile(r"\[\[([^|\]]+)(?:\|([^\]]*))?\]\]")


def _counts(draft: Draft, title: str, titles: dict[str, str]) -> Counter[str]:
    """The words of a page, those of its names weighted."""
    weighted = [(title, TITLE_WEIGHT), *((alias, ALIAS_WEIGHT) for alias in draft.aliases)]
    counts: Counter[str] = Counter()
    for name, weight in weighted:
        for word in words(name):
            counts[word] += weight
    for text in _infobox_texts(draft):
        counts.update(words(_plain(text, titles)))
    for text in _paragraphs(draft):
        counts.update(word for word in words(_plain(text, titles)) if word.isalpha())
    return counts


def _plain(markup: str, titles: dict[str, str]) -> str:
    return _LINK.sub(lambda found: found[2] or titles[found[1]], markup)


def _infobox_texts(draft: Draft) -> list[str]:
    return [row[1] for row in draft.infobox if row[3] == "text" and row[0] != "Time zone"]


def _paragraphs(draft: Draft) -> list[str]:
    sections = (blocks for _, heading, blocks in draft.sections if heading in _INDEXED)
    return [block for blocks in sections for block in blocks if isinstance(block, str)]


def build_index(pages: Iterable[tuple[Draft, str]], titles: dict[str, str]) -> list[bytes]:
    """Blocks: one per shard, then the page lengths (one byte each, in units of four words)."""
    postings: dict[str, bytearray] = defaultdict(bytearray)
    frequency: Counter[str] = Counter()
    last: dict[str, int] = {}
    lengths = bytearray()
    for number, (draft, title) in enumerate(pages):
        counts = _counts(draft, title, titles)
        lengths.append(min(MAX_COUNT, sum(counts.values()) // 4))
        for word, count in counts.items():
            postings[word] += varint(number - last.get(word, -1))
            postings[word].append(min(MAX_COUNT, count))
            last[word] = number
            frequency[word] += 1
    shards: list[dict[str, bytes]] = [{} for _ in range(SHARDS)]
    for word in sorted(postings):
        if frequency[word] <= MAX_SHARE * len(lengths):
            shards[shard_of(word)][word] = bytes(postings[word])
    return [*(_shard(shard, frequency) for shard in shards), bytes(lengths)]


def _shard(words_of: dict[str, bytes], frequency: Counter[str]) -> bytes:
    head = {}
    at = 0
    for word, data in words_of.items():
        head[word] = (at, frequency[word])
        at += len(data)
    table = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode()
    return table + b"\0" + b"".join(words_of.values())
