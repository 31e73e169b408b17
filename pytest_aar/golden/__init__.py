"""The golden executor: walks a leg with the real tools and compares every value."""

from .records import CallTool, Mismatch, ToolReply, Walk
from .walk import walk

__all__ = ["CallTool", "Mismatch", "ToolReply", "Walk", "walk"]
