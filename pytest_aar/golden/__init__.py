"""The golden executor: walks a whole leg with the real tools and compares every value with the leg's own."""

from .records import CallTool, Mismatch, ToolReply, Walk
from .walk import walk

__all__ = ["CallTool", "Mismatch", "ToolReply", "Walk", "walk"]
