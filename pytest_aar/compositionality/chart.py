"""The figures as a bar chart: one SVG file without scripts or fonts of its own, for light and dark pages."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from xml.etree import ElementTree as ET

from .records import Row, Shape
from .tables import figures

_TITLE = "Linear, DAG and other instances, in % of each benchmark"
_KINDS: Mapping[str, tuple[Shape, ...]] = {
    "linear": ("path",),
    "DAG": ("dag",),
    "other": ("fork", "apart"),
}
_STYLE = """
svg { --page: #ffffff; --ink: #1f2328; --rule: #d0d7de;
  --linear: #0a5fb4; --DAG: #b34700; --other: #57606a; --on: #ffffff }
@media (prefers-color-scheme: dark) {
  svg { --page: #0d1117; --ink: #e6edf3; --rule: #3d444d;
    --linear: #79b8ff; --DAG: #ffab70; --other: #b1bac4; --on: #0d1117 } }
text { font: 14px system-ui, sans-serif; fill: var(--ink) }
.page { fill: var(--page) } .rule { stroke: var(--rule) }
.linear, .DAG, .other { stroke: var(--page) }
.linear { fill: var(--linear) } .DAG { fill: var(--DAG) } .other { fill: var(--other) }
.undefined { fill: var(--page); stroke: var(--ink); stroke-dasharray: 4 4 }
.title { font-size: 16px; font-weight: 600 } .on { fill: var(--on); font-weight: 600 }
.end { text-anchor: end } .mid { text-anchor: middle } .small { font-size: 12px }
"""

# All in px. A letter is taken as wide as the widest usual ones, so that no name is cut.
_MARGIN = 16
_LETTER = 7.6
_BAR = 480
_HEAD = 76
_ROW = 34
_THICK = 22
_FOOT = 40
_FITS = 40


def chart(rows: Sequence[tuple[str, Row]]) -> str:
    """The labelled rows as stacked bars; the description holds every figure for who can't see them."""
    names = [_name(label, row) for label, row in rows]
    left = round(_MARGIN + _LETTER * max(map(len, names)))
    width, height = left + _BAR + 2 * _MARGIN, _HEAD + _ROW * len(rows) + _FOOT
    svg = _svg(width, height, rows)
    _legend(svg, left)
    _scale(svg, left, height)
    for number, (name, (_, row)) in enumerate(zip(names, rows, strict=True)):
        top = _HEAD + _ROW * number
        _text(svg, left - 8, top + 16, name, "end")
        _bar(svg, left, top, row)
    ET.indent(svg)
    return ET.tostring(svg, encoding="unicode") + "\n"


def _name(label: str, row: Row) -> str:
    steps = "" if row.steps is None else f"{row.steps:.1f} steps, "
    return f"{label} ({steps}n = {row.instances:,})"


def _svg(width: int, height: int, rows: Sequence[tuple[str, Row]]) -> ET.Element:
    svg = ET.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {width} {height}",
            "width": str(width),
            "height": str(height),
            "role": "img",
            "aria-labelledby": "title desc",
        },
    )
    ET.SubElement(svg, "title", {"id": "title"}).text = _TITLE
    ET.SubElement(svg, "desc", {"id": "desc"}).text = " ".join(
        _sentence(label, row) for label, row in rows
    )
    ET.SubElement(svg, "style").text = _STYLE
    _rect(svg, (0, 0, width, height), "page")
    _text(svg, _MARGIN, 28, _TITLE, "title")
    return svg


def _sentence(label: str, row: Row) -> str:
    _, linear, dag, other = figures(row)
    name = _name(label, row)
    if row.shapes is None:
        return f"{name}: undefined, {row.undefined}."
    return f"{name}: {linear} % linear, {dag} % DAG, {other} % other."


def _legend(svg: ET.Element, left: int) -> None:
    for number, kind in enumerate(_KINDS):
        start = left + 100 * number
        _rect(svg, (start, 44, 14, 14), kind)
        _text(svg, start + 20, 56, kind)


def _scale(svg: ET.Element, left: int, height: int) -> None:
    bottom = height - _FOOT
    for percent in (0, 25, 50, 75, 100):
        x = str(left + _BAR * percent // 100)
        line = {"x1": x, "x2": x, "y1": str(_HEAD - 6), "y2": str(bottom), "class": "rule"}
        ET.SubElement(svg, "line", line)
        _text(svg, int(x), bottom + 18, f"{percent} %", "mid small")


def _bar(svg: ET.Element, left: int, top: int, row: Row) -> None:
    if row.shapes is None:
        _rect(svg, (left, top, _BAR, _THICK), "undefined")
        _text(svg, left + _BAR // 2, top + 16, "undefined", "mid")
        return
    for kind, start, share in _segments(row):
        x, width = left + _BAR * start / 100, _BAR * share / 100
        _rect(svg, (x, top, width, _THICK), kind)
        if width >= _FITS:
            _text(svg, x + width / 2, top + 16, f"{share:.1f}", "mid on")


def _segments(row: Row) -> Iterator[tuple[str, float, float]]:
    """Kind, where it starts and its share, both in per cent of the bar."""
    shares = [row.percent(*shapes) or 0.0 for shapes in _KINDS.values()]
    starts = accumulate(shares, initial=0.0)
    for kind, start, share in zip(_KINDS, starts, shares, strict=False):
        if share:
            yield kind, start, share


def _rect(svg: ET.Element, box: tuple[float, float, float, float], kind: str) -> None:
    places = zip(("x", "y", "width", "height"), box, strict=True)
    sizes = {name: f"{round(place, 1):g}" for name, place in places}
    ET.SubElement(svg, "rect", {**sizes, "class": kind})


def _text(svg: ET.Element, x: float, y: int, text: str, kind: str = "") -> None:
    place = {"x": f"{round(x, 1):g}", "y": str(y), "class": kind}
    ET.SubElement(svg, "text", {name: value for name, value in place.items() if value}).text = text
