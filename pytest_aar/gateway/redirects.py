"""What is known of where a leg's golden pages lead in the live world."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Redirects:
    """`final`: address -> the address that it leads to. `failure`: why the wiki didn't tell of all, "" if it did."""

    final: Mapping[str, str]
    failure: str = ""
