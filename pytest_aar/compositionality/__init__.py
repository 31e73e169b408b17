"""How compositional a benchmark is: mean steps, how many instances are linear, how many are DAGs.

Files of a benchmark -> `formats` -> `ToolGraph` -> `shapes` -> `Row` -> table, JSON, chart.
"""

from .chart import chart
from .formats import FORMATS, Format
from .measures import Measured, measure
from .records import SHAPES, Fault, Reading, Row, Shape, ToolGraph
from .tables import as_json, labelled, remarks, table

__all__ = [
    "FORMATS",
    "SHAPES",
    "Fault",
    "Format",
    "Measured",
    "Reading",
    "Row",
    "Shape",
    "ToolGraph",
    "as_json",
    "chart",
    "labelled",
    "measure",
    "remarks",
    "table",
]
