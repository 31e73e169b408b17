"""A leg's file to a `Leg`: the wire shape first, then what the format demands beyond shapes."""

import hashlib
import json
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, cast

from pydantic import ValidationError

from pytest_aar.errors import LegError
from pytest_aar.leg import Difficulty, FinishLine, Leg, PitStop

from .identity import leg_id_of, level_of, variant_of
from .rules import check
from .stops import stop_of
from .wire import WIRE_LEG, WireDifficulty, WireLeg

LARGEST_BYTES = 5 * 1024 * 1024

_TOP = frozenset(WireLeg.__annotations__)
_DIFFICULTY = frozenset(WireDifficulty.__annotations__)
_LINE_OF_TYPES = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}


def read_leg(path: Path, *, legs_root: Path | None = None) -> Leg:
    """The leg in a file, checked completely.

    Raises LegError, which names file, stop and field.
    """
    where = str(path)
    return parse_leg(_bytes_of(path, where), leg_id=leg_id_of(path, legs_root), where=where)


def parse_leg(
    data: bytes,
    *,
    leg_id: str,
    where: str,
    variant_hint: str | None = None,
    level_hint: str | None = None,
) -> Leg:
    """The leg in a file's bytes; `where` names them in errors.

    Variant and level come from the hints, else from the id's folders and the data (see `identity`).
    """
    wire = _wire(data, where)
    _check_numbers_are_finite(data, where)
    stops = tuple(stop_of(stop, where) for stop in wire["stops"])
    check(stops, where)
    return Leg(
        leg_id=leg_id,
        variant=variant_hint or variant_of(leg_id, wire["metadata"]) or _variant_by_shape(stops),
        level=level_hint or level_of(leg_id, wire["difficulty"]["level"]),
        sha256=hashlib.sha256(data).hexdigest(),
        trail_id=wire["trail_id"],
        seed_url=wire["seed_url"],
        seed_title=wire["seed_title"],
        stops=stops,
        digit=wire["passcode"],
        difficulty=_difficulty(wire["difficulty"]),
        clues=wire["riddle"],
        metadata=wire["metadata"],
        generated_at=wire["generated_at"],
        extra=_rest(cast("Mapping[str, Any]", wire), _TOP),
    )


def _bytes_of(path: Path, where: str) -> bytes:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise LegError("not a regular file", where=where)
        if status.st_size > LARGEST_BYTES:
            raise LegError(
                f"the file has {status.st_size:,} bytes; a leg has at most {LARGEST_BYTES:,}",
                where=where,
            )
        return path.read_bytes()
    except OSError as error:
        raise LegError(f"the file can't be read: {error.strerror or error}", where=where) from error


def _wire(data: bytes, where: str) -> WireLeg:
    try:
        return WIRE_LEG.validate_json(data)
    except ValidationError as error:
        _refuse(error, where)


def _refuse(error: ValidationError, where: str) -> NoReturn:
    """The first fault in our words: the wire name of the field, what stands there, what should."""
    fault = error.errors(include_url=False)[0]
    kind, message, found = fault["type"], fault["msg"], fault["input"]
    if kind == "json_invalid":
        raise LegError(
            f"not JSON: {message.removeprefix('Invalid JSON: ')}", where=where
        ) from error
    stop, field = _place(fault["loc"])
    if kind == "missing":
        problem = "missing; the format requires it"
    elif field is not None and field.endswith("extracted_value"):
        problem = f"should be a number, a text, an object or a list, found {_shown(found)}"
    else:
        problem = f"{message.replace('Input should', 'should')}, found {_shown(found)}"
    raise LegError(problem, where=where, stop=stop, field=field) from error


def _place(location: Sequence[int | str]) -> tuple[int | None, str | None]:
    """A pydantic location as (stop, dotted field)."""
    parts = list(location)
    stop = None
    if parts[:1] == ["stops"] and len(parts) > 1:
        stop, parts = int(parts[1]), parts[2:]
    if "extracted_value" in parts:  # what follows is the union's member, not a field
        parts = parts[: parts.index("extracted_value") + 1]
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    return stop, field.removeprefix(".") or None


def _shown(found: object) -> str:
    if found is None:
        return "null"
    kind = _LINE_OF_TYPES.get(type(found), "the number")
    text = repr(found)
    limit = 60
    return f"{kind} {text if len(text) <= limit else text[:limit] + '...'}"


def _check_numbers_are_finite(data: bytes, where: str) -> None:
    """NaN and Infinity are no JSON, but the parser lets them pass where any value may stand."""
    if b"NaN" not in data and b"Infinity" not in data:
        return

    def refuse(name: str) -> NoReturn:
        raise LegError(f"not JSON: {name} is no JSON number", where=where)

    json.loads(data, parse_constant=refuse)


def _variant_by_shape(stops: Sequence[PitStop]) -> str:
    # A fork or a merge of route order; the finish line's own list says nothing about the shape.
    forks = any(
        len(stop.depends_on or ()) > 1 for stop in stops if not isinstance(stop, FinishLine)
    )
    return "dag" if forks else "linear"


def _difficulty(wire: WireDifficulty) -> Difficulty:
    return Difficulty(
        level=wire["level"],
        depth=wire["depth"],
        tool_stop_count=wire["tool_stop_count"],
        reason_stop_count=wire["reason_stop_count"],
        extraction_difficulty=wire["extraction_difficulty"],
        bridge_obscurity=wire["bridge_obscurity"],
        extra=_rest(cast("Mapping[str, Any]", wire), _DIFFICULTY),
    )


def _rest(fields: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    if len(fields) == len(known):
        return {}
    return {name: value for name, value in fields.items() if name not in known}
