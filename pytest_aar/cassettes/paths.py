"""Where cassettes lie: `<root>/<leg-id>/<agent>--<model>[--r<k>].json`, bodies beside it."""

import re
from hashlib import blake2b
from pathlib import Path

INDEX, BODIES, PARTIAL = ".json", ".bodies.gz", ".partial"
_UNSAFE = re.compile(r"[^a-z0-9._-]+")
_LONGEST = 80


def cassette_path(root: Path, leg_id: str, agent: str, model: str | None, repeat: int = 1) -> Path:
    """The index file of an agent's model traffic; repeats carry their number from the second on."""
    stem = f"{safe_name(agent)}--{safe_name(model or 'no-model')}"
    if repeat > 1:
        stem += f"--r{repeat}"
    return leg_folder(root, leg_id) / (stem + INDEX)


def tools_path(root: Path, leg_id: str) -> Path:
    """The index file of a leg's live tool traffic, shared by all agents."""
    return leg_folder(root, leg_id) / ("tools" + INDEX)


def bodies_path(index: Path) -> Path:
    """The bodies that belong to an index file."""
    return _beside(index, BODIES)


def without_suffix(file: Path) -> Path:
    """What the names of an index and of its bodies begin with, by either."""
    return file.with_name(file.name.removesuffix(INDEX).removesuffix(BODIES))


def partial_path(index: Path, owner: str = "") -> Path:
    """The journal of a running or interrupted recording; a shared file has one per `owner`."""
    return _beside(index, f"--{safe_name(owner)}{PARTIAL}" if owner else PARTIAL)


def safe_name(name: str) -> str:
    """`name` as a part of a file name; a hash keeps apart what folding would make equal."""
    folded = _UNSAFE.sub("-", name.lower()).strip("-.") or "x"
    folded = re.sub(r"--+", "-", folded)[:_LONGEST]
    if folded == name:
        return name
    return f"{folded}-{blake2b(name.encode(), digest_size=4).hexdigest()}"


def leg_folder(root: Path, leg_id: str) -> Path:
    """The folder of a leg's cassettes."""
    return root.joinpath(*(safe_name(part) for part in leg_id.split("/") if part))


def _beside(index: Path, suffix: str) -> Path:
    return index.with_name(index.name.removesuffix(INDEX) + suffix)
