"""The pacer's parameters and its draws."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TypeVar

from pytest_aar.errors import ConfigurationError

T = TypeVar("T")

_RANGE = 2**64


@dataclass(frozen=True, slots=True, kw_only=True)
class Skills:
    """Probabilities, per race, of getting through without a fault of each class; FA is their product."""

    navigation: float = 1.0
    tools: float = 1.0
    arithmetic: float = 1.0
    seed: int = 0

    @classmethod
    def parse(cls, text: str) -> "Skills":
        """From `navigation=0.7,tools=0.9,arithmetic=0.95,seed=3`; what is not named keeps its default."""
        given: dict[str, float | int] = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, _, value = (piece.strip() for piece in part.partition("="))
            given[name] = _number(name, value, text)
        return cls(**given)  # type: ignore[arg-type] # _number gives an int for seed, floats for the rest

    @property
    def model_name(self) -> str:
        """`pacer-` and a hash of the parameters: recordings of other skills must not be mixed up."""
        text = ",".join(f"{field.name}={getattr(self, field.name)!r}" for field in fields(self))
        return f"pacer-{hashlib.blake2b(text.encode(), digest_size=4).hexdigest()}"

    def dice(self, leg_id: str, repeat: int) -> "Dice":
        """The draws of one race."""
        return Dice(f"{self.seed}\0{leg_id}\0{repeat}")


class Dice:
    """Named draws: each a hash of the race and the name, so that no draw depends on another's place."""

    def __init__(self, race: str) -> None:
        self._race = race

    def unit(self, name: str) -> float:
        """A number in [0, 1)."""
        return self._draw(name) / _RANGE

    def below(self, limit: int, name: str) -> int:
        """A whole number from 0 to limit - 1."""
        return self._draw(name) * limit // _RANGE

    def pick(self, choices: Sequence[T], name: str) -> T:
        """One of the choices."""
        return choices[self.below(len(choices), name)]

    def shuffled(self, items: Sequence[T], name: str) -> list[T]:
        """All items, in a drawn order."""
        order = sorted(range(len(items)), key=lambda place: self._draw(f"{name}/{place}"))
        return [items[place] for place in order]

    def _draw(self, name: str) -> int:
        digest = hashlib.blake2b(f"{self._race}\0{name}".encode(), digest_size=8).digest()
        return int.from_bytes(digest)


def _number(name: str, value: str, text: str) -> float | int:
    names = [field.name for field in fields(Skills)]
    if name not in names:
        raise ConfigurationError(
            f"pacer skills {text!r}: there is no {name!r}; valid: {', '.join(names)}"
        )
    try:
        if name == "seed":
            return int(value)
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0.0 <= number <= 1.0:
        wanted = "a whole number" if name == "seed" else "a probability from 0 to 1"
        raise ConfigurationError(f"pacer skills {text!r}: {name}={value!r} is not {wanted}")
    return number
