"""The addresses of other races' gateways: an agent learns them from other agents' processes alone."""

import re

_GATEWAY = re.compile(r"(?:127\.0\.0\.1|localhost):(\d{1,5})/r/([\w-]{22})(?![\w-])")


def names_gateway(text: str) -> bool:
    """Whether anything in it looks like a race's address, its own included."""
    return _GATEWAY.search(text) is not None


def names_another(text: str, own: str) -> bool:
    """Whether an address of another race stands in it. `own` is this race's.

    Who copies its own address wrongly gets the port right: both must differ.
    """
    mine = _GATEWAY.search(own)
    return mine is not None and any(
        match[1] != mine[1] and match[2] != mine[2] for match in _GATEWAY.finditer(text)
    )
