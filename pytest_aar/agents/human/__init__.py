"""The agent `human`: a person races a leg in the terminal (`aar play`)."""

from .player import Player, given_up
from .seat import HumanAgent, Seat, ToolAnswer
from .terminal import Terminal, terminal_of

__all__ = ["HumanAgent", "Player", "Seat", "Terminal", "ToolAnswer", "given_up", "terminal_of"]
