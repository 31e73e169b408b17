"""The mask of `aar validity`: each leg's class on disk, for runs and other programs; read back by `--aar-only`."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_aar.errors import ConfigurationError
from pytest_aar.leg import CLASSES, VALID, Leg, Validity

#: Below the folder where it is written and read; in that of the results, which is kept out of git.
MASK = Path(".aar/validity.json")
_FORMAT = 1


def mask_of(judged: Sequence[tuple[Leg, Validity]]) -> dict[str, Any]:
    """Leg id -> class, reasons (name and stop, no value) and the leg's hash."""
    legs = {
        leg.leg_id: {
            "class": found.name,
            "valid": found.valid,
            "reasons": [[reason.name, reason.stop] for reason in found.reasons],
            "sha256": leg.sha256,
        }
        for leg, found in sorted(judged, key=lambda pair: pair[0].leg_id)
    }
    return {"format": _FORMAT, "legs": legs}


class Mask:
    """Classes by leg id."""

    def __init__(self, path: Path, legs: Mapping[str, Mapping[str, Any]]) -> None:
        self._path, self._legs = path, legs

    def class_of(self, leg: Leg) -> str | None:
        """The leg's class, None where it has none.

        Raises:
            ConfigurationError: the leg was changed since it was judged.
        """
        found = self._legs.get(leg.leg_id)
        if found is None:
            return None
        if found["sha256"] != leg.sha256:
            raise ConfigurationError(
                f"leg {leg.leg_id} was changed since {self._path} was written: write it again with `aar validity "
                "PATH`, or remove it, and legs are judged as they are"
            )
        return str(found["class"])


def read_mask(path: Path) -> Mask:
    """The mask in a file, an empty one without the file.

    Raises:
        ConfigurationError: it is no mask; says what is wrong where, and what to do.
    """
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return Mask(path, {})
    except (OSError, ValueError, RecursionError) as error:
        raise _no_mask(path, str(error)) from error
    if not isinstance(found, dict) or found.get("format") != _FORMAT:
        raise _no_mask(path, f"its format is not {_FORMAT}")
    legs = found.get("legs")
    if not isinstance(legs, dict):
        raise _no_mask(path, "it has no legs")
    for name, entry in legs.items():
        fault = _fault(entry)
        if fault:
            raise _no_mask(path, f"leg {name}: {fault}")
    return Mask(path, legs)


def _fault(entry: Any) -> str | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("sha256"), str):
        return "sha256 is missing"
    if entry.get("class") not in CLASSES:
        return f"class is {entry.get('class')!r}; valid: {', '.join(CLASSES)}"
    if entry.get("valid") is not (entry["class"] in VALID):
        return f"valid is {entry.get('valid')!r} and class is {entry['class']!r}, which contradict each other"
    return None


def _no_mask(path: Path, fault: str) -> ConfigurationError:
    return ConfigurationError(
        f"{path} is no mask of legs ({fault}): write it again with `aar validity PATH`, or remove it"
    )
