"""Collection: from JSON files to items. Reads and validates legs; starts no agent and asks no network."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_aar.errors import ConfigurationError, ContaminatedRace, LegError, LostRace
from pytest_aar.leg_refs import LegRef, drawn, label
from pytest_aar.session import LEG, is_worker, leg_of, settings_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_aar.leg import Leg
    from pytest_aar.race import Race
    from pytest_aar.results.mask import Mask
    from pytest_aar.settings import Settings


@dataclass(frozen=True, slots=True)
class _Collected:
    """A leg's file after it was read: what is kept of it, and its marks."""

    ref: LegRef
    marks: tuple[pytest.MarkDecorator, ...]


_COLLECTED = pytest.StashKey[dict[Path, _Collected]]()
_IDS = pytest.StashKey[dict[str, Path]]()
_SHARED_ID = pytest.StashKey[str]()
_MARKS = pytest.StashKey[dict[str, pytest.MarkDecorator]]()
_NAMED = pytest.StashKey[frozenset[Path]]()
_WANTED = pytest.StashKey[dict[str, bool]]()
_FIXTURES = pytest.StashKey[Any]()
_MASK: pytest.StashKey[Mask] = pytest.StashKey()


def claim(path: Path, parent: pytest.Collector) -> LegFile | None:
    """A collector if the file is a leg and legs are wanted here, else None."""
    config = parent.config
    if not _wanted(path, config):
        return None
    from pytest_aar.leg_file import looks_like_leg  # noqa: PLC0415 - not for projects without legs

    if not looks_like_leg(path, settings_of(config).legs_root):
        return None
    return LegFile.from_parent(parent, path=path)


def _wanted(path: Path, config: pytest.Config) -> bool:
    """Whether legs are raced where the file lies; asked of every JSON file, answered once a folder."""
    folders = config.stash.setdefault(_WANTED, {})
    folder = str(path.parent)
    if folder not in folders:
        folders[folder] = _folder_wanted(path, config)
    return folders[folder] or path in _named(config)


def _folder_wanted(path: Path, config: pytest.Config) -> bool:
    """An agent is chosen, or an argument is the folder or one above it, at or below the legs root."""
    settings = settings_of(config)
    if path.is_relative_to(settings.cassettes):
        return False  # recordings are JSON, too, and may lie below the legs root
    if settings.agent is not None:
        return True
    root = _root_of(path, settings.legs_root)
    return any(path.is_relative_to(name) and name.is_relative_to(root) for name in _named(config))


def _named(config: pytest.Config) -> frozenset[Path]:
    """The files and folders that the command line names."""
    if _NAMED not in config.stash:
        folder = config.invocation_params.dir
        names = (os.path.abspath(folder / name.split("::")[0]) for name in config.args)
        config.stash[_NAMED] = frozenset(Path(name) for name in names)
    return config.stash[_NAMED]


def _root_of(path: Path, legs_root: Path) -> Path:
    # The rule of leg_file.leg_id_of, without importing it where there may be no leg.
    if legs_root in path.parents:
        return legs_root
    for folder in path.parents:
        if folder.name == "legs":
            return folder
    for folder in path.parents:
        if "linear" in folder.name.lower() or "dag" in folder.name.lower():
            return folder.parent
    return path.parent


class LegFile(pytest.Module):
    """The collector of one leg.

    A Module, not a File: plugins that hang fixtures on modules find what they expect.
    """

    def _getobj(self) -> ModuleType:
        return ModuleType(self.path.stem)  # nothing to import: the file is data

    def collect(self) -> Iterator[LegItem]:
        """One item per repeat. A broken leg is a collection error without a traceback."""
        found = _reference(self.path, self.config)
        settings = settings_of(self.config)
        for repeat in range(1, settings.repeat + 1):
            name = f"{self.path.stem}[{label(settings, repeat)}]"
            yield self._item(name, replace(found.ref, repeat=repeat), found.marks)

    def _item(self, name: str, ref: LegRef, marks: tuple[pytest.MarkDecorator, ...]) -> LegItem:
        # All legs of a folder see the same fixtures, and finding them takes longer than reading a leg:
        # shared as pytest itself shares it between the parameter sets of one function.
        assert self.parent is not None  # a file has a folder
        shared = self.parent.stash.get(_FIXTURES, None)
        item = LegItem.from_parent(
            self, name=name, callobj=judge, ref=ref, marks=marks, fixtureinfo=shared
        )
        self.parent.stash[_FIXTURES] = item._fixtureinfo
        return item


class LegItem(pytest.Function):
    """One race of one leg: the race in setup, by the fixtures; the judgement in the call."""

    def __init__(
        self, *, ref: LegRef, marks: Sequence[pytest.MarkDecorator], **keywords: Any
    ) -> None:
        super().__init__(**keywords)
        self.stash[LEG] = ref
        for mark in marks:
            self.add_marker(mark)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The leg's file: the function that judges is nobody's business. pytest reports no skip without a line."""
        return self.path, 0, f"leg: {self.stash[LEG].leg_id}"


def judge(aar_race: Race) -> None:
    """What each leg's item calls: raises LostRace unless the digit is right, ContaminatedRace if it was seen."""
    if aar_race.contaminated:
        from pytest_aar.reports.lost import contaminated_race  # noqa: PLC0415 - most runs have none

        raise ContaminatedRace(contaminated_race(aar_race.record, trace=str(aar_race.trace_path)))
    if not aar_race.won:
        from pytest_aar.reports.lost import lost_race  # noqa: PLC0415 - most runs have won races, too

        raise LostRace(lost_race(aar_race.leg, aar_race.record, trace=str(aar_race.trace_path)))


def _reference(path: Path, config: pytest.Config) -> _Collected:
    found = config.stash.setdefault(_COLLECTED, {})
    if path not in found:
        found[path] = _read(path, config)
        _note_id(found[path].ref, config)
    return found[path]


def _note_id(ref: LegRef, config: pytest.Config) -> None:
    other = config.stash.setdefault(_IDS, {}).setdefault(ref.leg_id, ref.path)
    if other == ref.path:
        return
    fault = (
        f"two files have the leg id {ref.leg_id!r}: {other} and {ref.path}; an id is the path below the "
        "legs root: set it with --aar-legs DIR (ini aar_legs), or race the folders one by one"
    )
    if is_worker(config):
        # A usage error in a worker reaches nobody: pytest-xdist's controller dies of it instead.
        raise pytest.Collector.CollectError(fault)
    config.stash[_SHARED_ID] = fault


def _read(path: Path, config: pytest.Config) -> _Collected:
    from pytest_aar import leg_file  # noqa: PLC0415 - not for projects without legs
    from pytest_aar.leg.marks import marks_of  # noqa: PLC0415 - same

    try:
        leg = leg_file.read_leg(path, legs_root=settings_of(config).legs_root)
    except LegError as error:
        raise pytest.Collector.CollectError(str(error)) from error
    ref = LegRef(
        leg_id=leg.leg_id,
        path=path,
        sha256=leg.sha256,
        variant=leg.variant,
        level=leg.level,
        validity=_class_of(leg, config) if settings_of(config).only else "",
    )
    return _Collected(ref=ref, marks=tuple(_mark(name, config) for name in marks_of(leg)))


def _class_of(leg: Leg, config: pytest.Config) -> str:
    """As the mask has it that `aar validity` wrote; of a leg that it has not, as `aar validity` would judge."""
    from pytest_aar.leg.validity import validity_of  # noqa: PLC0415 - not for projects without legs
    from pytest_aar.results.mask import MASK, read_mask  # noqa: PLC0415 - same

    try:
        if _MASK not in config.stash:
            config.stash[_MASK] = read_mask(config.invocation_params.dir / MASK)
        return config.stash[_MASK].class_of(leg) or validity_of(leg).name
    except ConfigurationError as error:
        raise pytest.Collector.CollectError(str(error)) from error


def _mark(name: str, config: pytest.Config) -> pytest.MarkDecorator:
    marks = config.stash.setdefault(_MARKS, {})
    if name not in marks:
        # pytest looks through all registered marks for each one asked for: ask once, not once a leg
        marks[name] = getattr(pytest.mark, name)
    return marks[name]


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Parametrize a test over the legs that its marks `aar_legs` name (relative to the root folder)."""
    config = metafunc.config
    if "aar_leg" not in metafunc.fixturenames:
        raise pytest.Collector.CollectError(
            f"{metafunc.definition.nodeid}: mark aar_legs on a test that uses none of the fixtures "
            "aar_leg, aar_race, aar_course, aar_world"
        )
    named = [
        config.rootpath / argument
        for mark in metafunc.definition.iter_markers("aar_legs")
        for argument in mark.args
    ]
    refs = [
        _reference(path, config).ref for path in _leg_paths(named, settings_of(config).legs_root)
    ]
    ids = [ref.leg_id.replace("/", "-") for ref in refs]
    metafunc.parametrize("aar_leg", refs, indirect=True, ids=ids)


def _leg_paths(named: Iterable[Path], legs_root: Path) -> list[Path]:
    from pytest_aar.leg_file import legs_in  # noqa: PLC0415 - not for projects without legs

    found: list[Path] = []
    for place in named:
        legs = legs_in(place, legs_root) if place.is_dir() else [place]
        if not legs or not place.exists():
            raise pytest.Collector.CollectError(f"mark aar_legs: no leg at {place}")
        found += legs
    return list(dict.fromkeys(found))


def choose(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse legs that share an id; leave the levels, variants and sample that were asked for."""
    if _SHARED_ID in config.stash:
        raise pytest.UsageError(config.stash[_SHARED_ID])
    settings = settings_of(config)
    refs = {item: ref for item in items if (ref := leg_of(item)) is not None}
    if settings.gate and not is_worker(config):  # workers' rules are checked by the controller
        _check_gate(settings, refs.values())
    wanted = {ref.leg_id for ref in drawn(refs.values(), settings)}
    dropped = [item for item, ref in refs.items() if ref.leg_id not in wanted]
    if dropped:
        gone = set(dropped)
        items[:] = [item for item in items if item not in gone]
        config.hook.pytest_deselected(items=dropped)


def _check_gate(settings: Settings, refs: Iterable[LegRef]) -> None:
    from pytest_aar import gate  # noqa: PLC0415 - only where there are rules

    fault = gate.unknown_cells(gate.parse(settings.gate), (ref.level for ref in refs))
    if fault:
        raise pytest.UsageError(fault)
