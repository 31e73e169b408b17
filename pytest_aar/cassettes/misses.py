"""A request that the recording can't answer: the nearest recorded one and the first difference."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pytest_aar.cassettes.asked import Asked, Interaction, Part
from pytest_aar.cassettes.entries import same_start

_AROUND = 60
_TIMES = ("", "once", "twice", "three times", "four times", "five times")
_ORDINALS = ("", "first", "second", "third", "fourth", "fifth", "sixth")


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """What was asked, the number of the nearest recorded interaction, and how that differs.

    `elsewhere` is the address where the same was asked when it was recorded, "" if it was nowhere else.
    `message` and `role` say where a conversation differs (None: not in a message); `recorded` and
    `now` are the two texts around the first differing character.
    """

    method: str
    uri: str
    nearest: int | None = None
    message: int | None = None
    role: str = ""
    recorded: str = ""
    now: str = ""
    reason: str = ""
    elsewhere: str = ""

    def text(self, path: Path) -> str:
        """The message for people, with what to do."""
        lines = [f"replay diverged: {self.method} {self.uri} is not in {path}", f"  {self.reason}"]
        if self.recorded or self.now:
            lines += [f"  recorded: {self.recorded}", f"  now:      {self.now}"]
        if self.elsewhere:
            lines.append(
                f"  Recorded at {self.elsewhere}: set the same aar_services (--aar-services)."
            )
        lines.append(
            "  If the change is meant, record again with --aar-record=all "
            "(or =diverged for the changed races only)."
        )
        return "\n".join(lines)


def explain(asked: Asked, recorded: Sequence[Interaction]) -> Miss:
    """Why none of the recorded interactions answers."""
    equal = [each for each in recorded if each.asked.key == asked.key]
    if equal:
        return _used_up(asked, len(equal))
    near = _nearest(asked, recorded)
    if near is None:
        reason = f"nothing was recorded for {asked.method} {_place(asked.uri)}"
        elsewhere = _elsewhere(asked, recorded)
        return Miss(method=asked.method, uri=asked.uri, reason=reason, elsewhere=elsewhere)
    number, other = near
    if asked.uri != other.asked.uri or asked.method != other.asked.method:
        told = f"{asked.method} {asked.uri}"
        before = f"{other.asked.method} {other.asked.uri}"
        return _other_text(asked, number, (before, told), "the URL differs")
    if [part.blob.digest for part in asked.messages] == [
        part.blob.digest for part in other.asked.messages
    ]:
        heads = other.asked.head.text(), asked.head.text()
        return _other_text(asked, number, heads, differing(*heads))
    return _other_message(asked, number, other.asked)


def _used_up(asked: Asked, count: int) -> Miss:
    times = _TIMES[count] if count < len(_TIMES) else f"{count} times"
    ordinal = _ORDINALS[count + 1] if count + 1 < len(_ORDINALS) else f"{count + 1}th"
    reason = f"recorded {times}, asked a {ordinal} time"
    return Miss(method=asked.method, uri=asked.uri, reason=reason)


def _place(uri: str) -> str:
    return uri.split("?", maxsplit=1)[0]


def _elsewhere(asked: Asked, recorded: Sequence[Interaction]) -> str:
    """Where the same was asked of another host: one path ends with the other, and the query is equal."""
    now = urlsplit(asked.uri)
    for each in recorded:
        then = urlsplit(each.asked.uri)
        short, long = sorted((now.path, then.path), key=len)
        is_same = (asked.method, now.query) == (each.asked.method, then.query)
        if is_same and now.netloc != then.netloc and len(short) > 1 and long.endswith(short):
            return _place(each.asked.uri)
    return ""


def _nearest(asked: Asked, recorded: Sequence[Interaction]) -> tuple[int, Interaction] | None:
    """Same endpoint, most messages in common, then the most similar length; the first of equals."""
    candidates = [
        (number, each)
        for number, each in enumerate(recorded)
        if _place(each.asked.uri) == _place(asked.uri)
    ]
    if not candidates:
        return None

    def closeness(candidate: tuple[int, Interaction]) -> tuple[int, int, int]:
        other = candidate[1].asked
        return (
            same_start(asked.messages, other.messages),
            -abs(len(asked.messages) - len(other.messages)),
            _common(asked.uri, other.uri),
        )

    return max(candidates, key=closeness)


def _other_text(asked: Asked, number: int, texts: tuple[str, str], what: str) -> Miss:
    """A difference outside the conversation, between a recorded text and what it is now."""
    recorded, now = around(*texts)
    return Miss(
        method=asked.method,
        uri=asked.uri,
        nearest=number,
        recorded=recorded,
        now=now,
        reason=f"the nearest recorded request is number {number}; {what}",
    )


def _other_message(asked: Asked, number: int, other: Asked) -> Miss:
    index = same_start(asked.messages, other.messages)
    before, after = _part(other.messages, index), _part(asked.messages, index)
    recorded, now = around(_said(before), _said(after))
    role = next((part.role for part in (after, before) if part), "")
    of = f"{index} of {len(asked.messages)}" if after else f"{index}"
    return Miss(
        method=asked.method,
        uri=asked.uri,
        nearest=number,
        message=index,
        role=role,
        recorded=recorded,
        now=now,
        reason=(
            f"the nearest recorded request is number {number} with {len(other.messages)} messages; "
            f"first difference in message {of} (role {role or 'unknown'}, counted from 0)"
        ),
    )


def _part(parts: Sequence[Part], index: int) -> Part | None:
    return parts[index] if index < len(parts) else None


def _said(part: Part | None) -> str:
    return part.blob.text() if part else ""


def differing(before: str, after: str) -> str:
    """Which fields of a request differ, in words."""
    fields = _differing_fields(before, after)
    return f"field {', '.join(fields)} of the request differs" if fields else "the body differs"


def _differing_fields(before: str, after: str) -> list[str]:
    try:
        one, other = json.loads(before), json.loads(after)
    except ValueError:
        return []
    if not isinstance(one, dict) or not isinstance(other, dict):
        return []
    return sorted(
        name for name in one.keys() | other.keys() if one.get(name, ...) != other.get(name, ...)
    )


def around(one: str, other: str) -> tuple[str, str]:
    """Both texts around their first differing character; "(nothing)" where one has ended."""
    at = _common(one, other)
    return _cut(one, at), _cut(other, at)


def _cut(text: str, at: int) -> str:
    if not text:
        return "(nothing)"
    start, end = max(0, at - _AROUND), at + _AROUND
    return ("..." if start else "") + text[start:end] + ("..." if end < len(text) else "")


def _common(one: str, other: str) -> int:
    """Length of the equal beginning, by halving: messages can be megabytes."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
