"""A rule-based reader of clue texts: from the words alone to the steps, and how well these fit.

It shares no table with the generator's grammar, so that what it understands is in the words.
"""

from .alignment import Alignment, align, tool_match
from .records import ReadStep
from .steps import read_clues

__all__ = ["Alignment", "ReadStep", "align", "read_clues", "tool_match"]
