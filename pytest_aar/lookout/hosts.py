"""Which addresses lead out of this machine."""

import ipaddress
import re

_TARGET = re.compile(
    r"(?:(?P<scheme>[a-z][a-z+.-]*)://)?(?:[^/@\s]*@)?(?P<host>\[[^\]\s]*\]|[^/:?#\s\"'`{}$]+)",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?:[\w-]+\.)+[a-z]{2,}\.?", re.IGNORECASE)
#: Names that no resolver knows (RFC 6761), among them the sandbox world's.
_NOWHERE = (".test", ".invalid", ".localhost", ".local", ".example")


def foreign_host(target: str, *, bare: bool = False) -> str | None:
    """The host of an address that leads out of this machine, else None. `bare`: it may have no scheme."""
    match = _TARGET.match(target.strip())
    if match is None or (match["scheme"] is None and not bare) or match["scheme"] == "file":
        return None
    host = match["host"].strip("[]").rstrip(".").lower()
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host if _NAME.fullmatch(host) and not host.endswith(_NOWHERE) else None
    return None if address.is_loopback or address.is_unspecified else host
