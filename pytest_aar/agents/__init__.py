"""Agents: what races the legs. Each is a small object behind the Protocol `Agent`."""

from .answer import ANSWER_FILE, read_answer
from .drive import drive
from .protocol import Agent, Course, Limits
from .registry import AGENT_NAMES, make_agent, needs_model, prompt_for

__all__ = [
    "AGENT_NAMES",
    "ANSWER_FILE",
    "Agent",
    "Course",
    "Limits",
    "drive",
    "make_agent",
    "needs_model",
    "prompt_for",
    "read_answer",
]
