"""The agent `human`: a person races a leg in the terminal (`aar play`)."""

from .player import Player
from .seat import HumanAgent, Seat, ToolAnswer
from .terminal import Terminal, terminal_of

__all__ = ["HumanAgent", "Player", "Seat", "Terminal", "ToolAnswer", "terminal_of"]
