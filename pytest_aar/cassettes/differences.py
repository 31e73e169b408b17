"""How two cassettes differ: circumstances, requests, answers."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path

from pytest_aar.cassettes import cassette_file
from pytest_aar.cassettes.asked import Asked, Interaction
from pytest_aar.cassettes.cassette_file import Recording
from pytest_aar.cassettes.catalogue import cassettes_in
from pytest_aar.cassettes.entries import same_start
from pytest_aar.cassettes.misses import around, differing
from pytest_aar.errors import CassetteMissing

_SHOWN = 10
_DIGEST = 16


def pairs(one: Path, other: Path) -> Iterator[tuple[Path | None, Path | None]]:
    """The cassettes to hold side by side: two files, or those of the same name in two folders.

    None stands for a cassette that is in one folder only.

    Raises:
        CassetteMissing: nothing is there, or one is a folder and the other is not.
    """
    if one.is_dir() != other.is_dir() and one.exists() and other.exists():
        raise CassetteMissing(
            f"{one} and {other}: give two cassettes, or two folders of cassettes."
        )
    first, second = (
        {path.relative_to(place): path for path in cassettes_in(place)} for place in (one, other)
    )
    if not one.is_dir():
        yield one, other
        return
    for name in sorted(first.keys() | second.keys()):
        yield first.get(name), second.get(name)


def differences(one: Path, other: Path) -> list[str]:
    """In lines for people; empty when the cassettes agree. Times of recording never count.

    Raises:
        CassetteCorrupted: one of them is not whole.
    """
    before, after = cassette_file.read(one), cassette_file.read(other)
    return [*_circumstances(before, after), *_interactions(before.interactions, after.interactions)]


def _circumstances(before: Recording, after: Recording) -> Iterator[str]:
    now = asdict(after.metadata)
    for name, value in asdict(before.metadata).items():
        if value != now[name]:
            yield f"{name}: {_short(value)} -> {_short(now[name])}"
    if before.open_ends != after.open_ends:
        one, other = (", ".join(each.open_ends) or "nothing" for each in (before, after))
        yield f"waited for when the race's time was up: {one} -> {other}"


def _short(value: str) -> str:
    return (value if len(value) <= 2 * _DIGEST else f"{value[:_DIGEST]}...") or "(unknown)"


def _interactions(before: Sequence[Interaction], after: Sequence[Interaction]) -> Iterator[str]:
    if any(each.asked.messages for each in (*before, *after)):
        yield from _in_order(before, after)
    else:
        yield from _by_request(before, after)


def _in_order(before: Sequence[Interaction], after: Sequence[Interaction]) -> Iterator[str]:
    """A conversation: what differs once differs in all that follows, so the first place is shown."""
    places = [
        number
        for number, (one, other) in enumerate(zip_longest(before, after))
        if one is None or other is None or _marks(one) != _marks(other)
    ]
    if not places:
        return
    yield f"{len(before)} and {len(after)} interactions; {len(places)} differ, from number {places[0]} on"
    first = places[0]
    if first < min(len(before), len(after)):
        yield from _first_difference(before[first], after[first])


def _by_request(before: Sequence[Interaction], after: Sequence[Interaction]) -> Iterator[str]:
    """Traffic of tools: its order says nothing."""
    old, new = ({each.asked.key: each for each in side} for side in (before, after))
    yield from _listed("only in the first", [old[key] for key in old.keys() - new.keys()])
    yield from _listed("only in the second", [new[key] for key in new.keys() - old.keys()])
    for key in (key for key in old if key in new and _marks(old[key]) != _marks(new[key])):
        yield f"{old[key].asked.method} {old[key].asked.uri}:"
        yield from _answers(old[key], new[key])


def _listed(where: str, interactions: Sequence[Interaction]) -> Iterator[str]:
    requests = sorted(f"{each.asked.method} {each.asked.uri}" for each in interactions)
    if requests:
        more = f", and {len(requests) - _SHOWN} more" if len(requests) > _SHOWN else ""
        yield f"{where}: {', '.join(requests[:_SHOWN])}{more}"


def _marks(each: Interaction) -> tuple[object, ...]:
    return each.asked.key, each.status, dict(each.headers), each.body.digest


def _first_difference(one: Interaction, other: Interaction) -> Iterator[str]:
    if one.asked.key == other.asked.key:
        yield from _answers(one, other)
    else:
        yield from _requests(one.asked, other.asked)


def _requests(one: Asked, other: Asked) -> Iterator[str]:
    if (one.method, one.uri) != (other.method, other.uri):
        yield f"  {one.method} {one.uri} -> {other.method} {other.uri}"
        return
    index = same_start(one.messages, other.messages)
    sides = [side.messages[index] if index < len(side.messages) else None for side in (one, other)]
    if sides == [None, None]:
        heads = one.head.text(), other.head.text()
        yield f"  {differing(*heads)}"
        yield from _both(*heads)
        return
    role = next((part.role for part in sides if part), "") or "unknown"
    counts = f"{len(one.messages)} and {len(other.messages)}"
    yield f"  first difference in message {index} (role {role}, counted from 0; {counts} messages)"
    yield from _both(*(part.blob.text() if part else "" for part in sides))


def _answers(one: Interaction, other: Interaction) -> Iterator[str]:
    if one.status != other.status:
        yield f"  status {one.status} -> {other.status}"
    if dict(one.headers) != dict(other.headers):
        yield f"  headers {dict(one.headers)} -> {dict(other.headers)}"
    if one.body.digest != other.body.digest:
        yield "  the answer differs"
        yield from _both(one.body.text(), other.body.text())


def _both(one: str, other: str) -> Iterator[str]:
    first, second = around(one, other)
    yield f"    first:  {first}"
    yield f"    second: {second}"
