"""What a check says (a fault), and what a reader gets of it (a finding)."""

from dataclasses import dataclass
from typing import Literal

#: `error`: the digit is wrong, given away or can't be found as told; `warning`: the leg is worse than
#: it says; `note`: worth knowing.
Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault of a leg: `stop` is None for the leg as a whole, `field` is the record's word."""

    field: str
    what: str
    stop: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFault:
    """One fault of a set of legs, told at the leg in place `leg` of the set."""

    leg: int
    field: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A fault under its rule's id: where it is, what was found, what to do.

    `field` is the wire's name of the field; `file` and `line` (from 1) are None for a leg that was
    not read from a file.
    """

    rule: str
    severity: Severity
    leg_id: str
    stop: int | None
    field: str
    message: str
    repair: str
    file: str | None = None
    line: int | None = None

    @property
    def told(self) -> str:
        """Stop and field, what was found, what to do."""
        stop = "" if self.stop is None else f"stop {self.stop}"
        field = f"field {self.field}" if self.field else ""  # a file that is no JSON has none
        place = ", ".join(filter(None, (stop, field)))
        return f"{place + ': ' if place else ''}{self.message}; {self.repair}"

    def __str__(self) -> str:
        """One line: place, rule, and what is told."""
        place = self.leg_id if self.file is None else f"{self.file}:{self.line}"
        return f"{place}: {self.rule}: {self.told}"
