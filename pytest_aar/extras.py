"""How an extra is installed: the one wording for all messages."""


def install(extra: str) -> str:
    """The command, quoted as shells want it, and its form for who works in a clone."""
    return f"pip install 'pytest-aar[{extra}]' (in a clone: pip install -e '.[{extra}]')"
