"""Which models take a temperature. 0 is the default only where it is taken."""

#: OpenAI's reasoning models refuse it, and the scripted stand-in has no use for it.
_REFUSED = ("o1", "o3", "o4", "gpt-5", "gpt-6", "codex", "pacer")
#: Of Anthropic's models, those that are known to take it; later ones refuse it.
_CLAUDE = "claude-"
_CLAUDE_TAKES = (
    "claude-3",
    "claude-haiku-4",
    "claude-sonnet-4",
    "claude-opus-4-0",
    "claude-opus-4-1",
    "claude-opus-4-2025",
    "claude-opus-4-5",
    "claude-opus-4-6",
)


def takes_temperature(model: str) -> bool:
    """By the last part of the name: servers put the maker's name before it."""
    name = model.rpartition("/")[2]
    if name.startswith(_CLAUDE):
        return name.startswith(_CLAUDE_TAKES)
    return not name.startswith(_REFUSED)
