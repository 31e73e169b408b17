"""A user whom nobody else on this machine is: the kernel counts a user's processes over all boxes and containers."""

import secrets
from contextlib import suppress
from pathlib import Path

#: In systemd's table of users these belong to nobody; there are so many that no two calls meet.
_NOBODYS = range(0x70000000, 0x7FFE0000)
#: For containers with fewer users: those that systemd lends to services.
_LENT = range(61_184, 65_520)
_MAP = Path("/proc/self/uid_map")


def lone_user() -> int:
    """A number by chance, of those that this machine or container has."""
    text = ""
    with suppress(FileNotFoundError):  # a kernel without user namespaces
        text = _MAP.read_text(encoding="ascii")
    return secrets.choice(free_users(text))


def free_users(uid_map: str) -> range:
    """The users to choose from, by the text of `/proc/self/uid_map`; without one there are all users."""
    for line in uid_map.splitlines():
        first, _, count = map(int, line.split())
        if first <= _NOBODYS.start and _NOBODYS.stop <= first + count:
            return _NOBODYS
    return _LENT if uid_map else _NOBODYS
