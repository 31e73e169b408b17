"""Legs between their collection and their races: what is kept of each, their items' names, and which are drawn."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pytest_aar.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class LegRef:
    """All that is kept of a leg between collection and its race; `validity` only where --aar-only asks for it."""

    leg_id: str
    path: Path
    sha256: str
    variant: str
    level: str
    repeat: int = 1
    validity: str = ""


def model_of(settings: Settings) -> str | None:
    """The model of the run, None for the one agent that never asks any."""
    return None if settings.agent == "golden" else settings.model


def label(settings: Settings, repeat: int) -> str:
    """What stands in the brackets of an item's id: agent, model, `r<k>` from the second repeat."""
    parts = [settings.agent, model_of(settings)] if settings.agent else ["none"]
    if repeat > 1:
        parts.append(f"r{repeat}")
    # no path separators, brackets or colons: `--collect-only -q` output must be usable as arguments
    return "-".join(re.sub(r"[^\w.+-]+", ".", part) for part in parts if part)


def leg_item_of(nodeid: str, settings: Settings) -> tuple[str, int] | None:
    """File (relative to the root folder) and repeat of a leg's item by its id; None for other items."""
    file, _, name = nodeid.partition("::")
    for repeat in range(1, settings.repeat + 1):
        if file.endswith(".json") and name.endswith(f"[{label(settings, repeat)}]"):
            return file, repeat
    return None


def drawn(refs: Iterable[LegRef], settings: Settings) -> list[LegRef]:
    """The legs of the levels, variants and classes that were asked for; of them the sample, if one was."""
    chosen = [
        ref
        for ref in refs
        if (not settings.levels or ref.level in settings.levels)
        and (not settings.variants or ref.variant in settings.variants)
        and _is_of(ref.validity, settings.only)
    ]
    return (
        chosen if settings.sample is None else _sample(chosen, settings.sample, seed=settings.seed)
    )


def _is_of(name: str, only: Sequence[str]) -> bool:
    """Whether a leg of this class is wanted."""
    if not only:
        return True
    from pytest_aar.leg.validity import VALID  # noqa: PLC0415 - not for projects without legs

    return name in only or ("valid" in only and name in VALID)


def _sample(refs: Iterable[LegRef], size: int, *, seed: int) -> list[LegRef]:
    """`size` legs, as many from each variant and level as its share allows; the same on every machine."""
    cells: dict[tuple[str, str], list[LegRef]] = defaultdict(list)
    for ref in {ref.leg_id: ref for ref in refs}.values():
        cells[ref.variant, ref.level].append(ref)
    for cell in cells.values():
        cell.sort(key=lambda ref: _draw(ref.leg_id, seed))
    # By rank within the cell relative to its size, so that each prefix of the order is a fair draw.
    order = [
        ((rank + 0.5) / len(cell), _draw(ref.leg_id, seed), ref)
        for cell in cells.values()
        for rank, ref in enumerate(cell)
    ]
    return [ref for _, _, ref in sorted(order, key=lambda entry: entry[:2])[:size]]


def _draw(leg_id: str, seed: int) -> bytes:
    return hashlib.blake2b(f"{seed} {leg_id}".encode(), digest_size=8).digest()
