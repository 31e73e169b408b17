"""From what was read of a benchmark to its figures: mean steps, and instances by shape."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_aar.errors import ConfigurationError

from .formats import Format
from .records import SHAPES, Fault, Published, Row, Shape, ToolGraph
from .shapes import judged

_PUBLISHED = (
    "the counts its authors published, single tools and chains as linear; they give no steps, and "
    "don't tell forks from merges"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One benchmark: a row for each of its parts, and what was left out of them."""

    title: str
    paths: tuple[str, ...]
    rows: tuple[Row, ...]
    faults: tuple[Fault, ...]
    passed_over: tuple[str, ...]
    repeated: int


def measure(found: Format, paths: Sequence[Path]) -> Measured:
    """Read the files and folders, and measure what they hold.

    Raises ConfigurationError when nothing in them can be measured.
    """
    reading = found.read(paths)
    judgements = [(graph, judged(graph)) for graph in reading.graphs]
    faults = (*reading.faults, *(each for _, each in judgements if isinstance(each, Fault)))
    sound = [(graph, each) for graph, each in judgements if not isinstance(each, Fault)]
    parts = dict.fromkeys(graph.part for graph, _ in sound)
    rows = [_row(found, part, [pair for pair in sound if pair[0].part == part]) for part in parts]
    rows += _published_row(found, reading.published)
    if not rows:
        raise _nothing(found, paths, faults)
    return Measured(
        title=found.title,
        paths=tuple(map(str, paths)),
        rows=tuple(rows),
        faults=faults,
        passed_over=reading.passed_over,
        repeated=reading.repeated,
    )


def _row(found: Format, part: str, pairs: Sequence[tuple[ToolGraph, Shape | None]]) -> Row:
    counted: Counter[Shape] = Counter(shape for _, shape in pairs if shape is not None)
    return Row(
        benchmark=f"{found.title} {part}".strip(),
        format=found.name,
        part=part,
        instances=len(pairs),
        steps=sum(graph.steps for graph, _ in pairs) / len(pairs),
        shapes={shape: counted[shape] for shape in SHAPES} if counted else None,
        undefined=found.undefined,
        note=found.note,
    )


def _published_row(found: Format, published: Iterable[Published]) -> list[Row]:
    total: Counter[Shape] = Counter()
    for each in published:
        total.update(each.shapes)
    if not total:
        return []
    return [
        Row(
            benchmark=found.title,
            format=found.name,
            part="",
            instances=total.total(),
            steps=None,
            shapes={shape: total[shape] for shape in SHAPES},
            note=_PUBLISHED,
        )
    ]


def _nothing(found: Format, paths: Sequence[Path], faults: Sequence[Fault]) -> ConfigurationError:
    where = ", ".join(map(str, paths))
    if faults:
        what = f"all {len(faults)} instances are faulty; the first: {faults[0]}"
    else:
        what = f"no file there is in the format of {found.title}"
    return ConfigurationError(
        f"{where}: nothing to measure: {what}; choose another --format, or name other files "
        "(docs/compositionality.md says what each format's files hold)"
    )
