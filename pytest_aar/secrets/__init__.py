"""Secrets of a run: replaced in text, and looked for in bytes about to be written."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pytest_aar.secrets.forms import forms_of
from pytest_aar.secrets.net import Net
from pytest_aar.secrets.shapes import shapes_in, without_shapes
from pytest_aar.secrets.streams import joined_deltas
from pytest_aar.secrets.values import SHORTEST, secret_options, secret_values

__all__ = ["REDACTED", "Secrets", "excerpt", "joined_deltas", "secret_values"]

REDACTED = "<redacted>"
_SOME_VALUE = "the value of a secret"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Nets:
    """The forms as they are in text, in bytes (each byte taken for a character), and without white space."""

    text: Net
    raw: Net
    squeezed: Net


@dataclass(frozen=True, slots=True, repr=False)
class Secrets:
    """Secret values, found in every form of writing them; each value with its name for messages."""

    values: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(
        cls,
        environment: Mapping[str, str] | None = None,
        *,
        options: Mapping[str, Mapping[str, str]] | None = None,
    ) -> "Secrets":
        """The secrets of `environment` (default: this process's) and of options that were given."""
        values = _secret_values(tuple((os.environ if environment is None else environment).items()))
        return cls((*secret_options(options or {}).items(), *values))

    @classmethod
    def from_values(cls, values: Iterable[str]) -> "Secrets":
        """Values without names."""
        return cls(tuple(dict.fromkeys(values, _SOME_VALUE).items()))

    def __repr__(self) -> str:
        # Pictures of exceptions show local variables.
        return f"Secrets({len(self.values)} values)"

    def redact(self, text: str) -> str:
        """`text` with every form of every secret replaced."""
        return _nets(self.values).text.replaced(text, REDACTED) if self.values else text

    def redact_bytes(self, data: bytes) -> bytes:
        """The same for bytes."""
        net = _nets(self.values).raw
        return net.replaced(_raw(data), REDACTED).encode("latin-1") if self.values else data

    def clean(self, value: Any) -> Any:
        """A JSON value with every text in it redacted, names of fields included."""
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, Mapping):
            return {self.redact(str(name)): self.clean(each) for name, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.clean(each) for each in value]
        return value

    def censor(self, text: str) -> str:
        """A message for people: without secrets, and without anything that is shaped like a key."""
        data = self.redact(text).encode("utf-8", "surrogatepass")
        return without_shapes(data, REDACTED.encode()).decode("utf-8", "surrogatepass")

    def find(self, data: bytes) -> tuple[str, ...]:
        """What looks like a secret in `data`, in words that don't repeat it; empty when clean.

        Looks also at event streams with their deltas joined, and at text that is broken over lines.
        """
        streams = joined_deltas(data)
        found = [*self._values_in(data), *self._values_in(streams)]
        return tuple(dict.fromkeys([*found, *shapes_in(data), *shapes_in(streams)]))

    def _values_in(self, data: bytes) -> list[str]:
        if not self.values or not data:
            return []
        nets = _nets(self.values)
        caught = nets.raw.caught(_raw(data)) + nets.squeezed.caught(_raw(_squeezed(data)))
        return [name for _, name in caught]


def excerpt(text: str, length: int, secrets: Secrets | None = None) -> str:
    """The start of a text on one line, for a message; censored before it is cut: half a key is one, too."""
    censored = (Secrets.of() if secrets is None else secrets).censor(text)
    return " ".join(censored.split())[:length]


@lru_cache(maxsize=8)
def _secret_values(environment: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple(secret_values(dict(environment)).items())


@lru_cache(maxsize=8)
def _nets(values: tuple[tuple[str, str], ...]) -> _Nets:
    return _Nets(text=_net(values, str), raw=_net(values, _as_bytes), squeezed=_net(values, _tight))


def _net(values: tuple[tuple[str, str], ...], view: Callable[[str], str]) -> Net:
    viewed = (
        (view(value), {view(form): name for form in forms_of(value)}) for value, name in values
    )
    return Net.of(
        (value, {form: name for form, name in forms.items() if len(form) >= SHORTEST})
        for value, forms in viewed
    )


def _raw(data: bytes) -> str:
    return data.decode("latin-1")


def _as_bytes(text: str) -> str:
    return _raw(text.encode("utf-8", "replace"))


def _tight(text: str) -> str:
    return _raw(_squeezed(text.encode("utf-8", "replace")))


def _squeezed(data: bytes) -> bytes:
    """Without white space, be it escaped: a secret may have been broken over lines."""
    data = data.translate(None, b" \t\r\n")
    if b"\\" in data:
        while b"\\\\" in data:
            data = data.replace(b"\\\\", b"\\")
        for mark in (b"\\n", b"\\r", b"\\t"):
            data = data.replace(mark, b"")
    return data
