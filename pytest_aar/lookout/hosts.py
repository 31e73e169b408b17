"""Which addresses lead out of this machine."""

import ipaddress
import re

_TARGET = re.compile(
    r"(?:(?P<scheme>[a-z][a-z+.-]{0,11})://)?(?:[^/@\s]*@)?(?P<host>\[[^\]\s]*\]|[^/:?#\s\"'`{}$\0]+)",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?:[\w-]+\.)+[a-z]{2,}\.?", re.IGNORECASE)
#: What a program puts in: `{lang}`, `$lang`, `${lang}`, `%s`.
_PUT_IN = re.compile(r"\$?\{[^{}]{0,99}\}|\$\w{1,99}|%s")
#: Names that no resolver knows (RFC 6761), among them the sandbox world's.
_NOWHERE = (".test", ".invalid", ".localhost", ".local", ".example")
#: Without a scheme, a path or a port, a word is a name by its ending alone, and most are endings of files.
_ENDINGS = re.compile(r"com|org|net|edu|gov|mil|int|info|biz|eu|dev|app|wiki|travel|museum|xyz")
_OF_FILES = re.compile(
    r"ai|bz|cc|cs|db|gz|go|hs|id|in|js|kt|la|lz|md|ml|mo|mk|ph|pl|pm|ps|py|rb|rs|sh|so|st|tf|tm|ts|vi|xz"
)
_COUNTRY = re.compile(r"[a-z]{2}")


def foreign_host(target: str, *, bare: bool = False) -> str | None:
    """The host of an address that leads out of this machine, else None. `bare`: it may have no scheme."""
    match = _TARGET.match(_PUT_IN.sub("_", target.strip()[:2000]))
    if match is None or (match["scheme"] is None and not bare) or match["scheme"] == "file":
        return None
    host = match["host"].strip("[]").rstrip(".").lower()
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        is_plain = match["scheme"] is None and match.end() == len(match.string)
        return host if _is_name(host, is_plain=is_plain) else None
    return None if address.is_loopback or address.is_unspecified else host


def _is_name(host: str, *, is_plain: bool) -> bool:
    if not _NAME.fullmatch(host) or host.endswith(_NOWHERE):
        return False
    ending = host.rpartition(".")[2]
    is_country = _COUNTRY.fullmatch(ending) and not _OF_FILES.fullmatch(ending)
    return not is_plain or bool(is_country or _ENDINGS.fullmatch(ending))
