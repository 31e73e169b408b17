"""Finds any of many texts in a long one, quickly where none of them is."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

#: What every way of writing a secret leaves as it is.
_PLAIN = re.compile(r"[A-Za-z0-9]+")
#: A text's edge: nothing is asked of the neighbour.
_ANY = frozenset[str]()


@dataclass(frozen=True, slots=True)
class _Gate:
    """A core and the characters that may stand beside it; forms with that core are looked for behind it."""

    core: str
    before: frozenset[str]
    after: frozenset[str]

    def opens(self, text: str) -> bool:
        """Whether the core stands somewhere between such neighbours."""
        at = text.find(self.core)
        while at >= 0:
            end = at + len(self.core)
            if self._fits(self.before, text[at - 1 : at]) and self._fits(
                self.after, text[end : end + 1]
            ):
                return True
            at = text.find(self.core, at + 1)
        return False

    def _fits(self, wanted: frozenset[str], neighbour: str) -> bool:
        return not wanted or neighbour in wanted


@dataclass(frozen=True, slots=True)
class Net:
    """Texts to find, longest first, each with its name."""

    _forms: tuple[tuple[str, str, str], ...]
    _gates: tuple[_Gate, ...]

    @classmethod
    def of(cls, values: Iterable[tuple[str, Mapping[str, str]]]) -> "Net":
        """A net of values and their forms (form -> name)."""
        forms = {
            form: (_core(value, form), name)
            for value, written in values
            for form, name in written.items()
        }
        longest_first = sorted(forms, key=lambda form: (-len(form), form))
        by_core: defaultdict[str, list[str]] = defaultdict(list)
        for form, (core, _) in forms.items():
            by_core[core].append(form)
        return cls(
            tuple((form, *forms[form]) for form in longest_first),
            tuple(_gate(core, written) for core, written in by_core.items()),
        )

    def caught(self, text: str) -> list[tuple[str, str]]:
        """Which forms stand in the text, with their names."""
        open_ = {gate.core for gate in self._gates if gate.opens(text)}
        if not open_:
            return []
        return [(form, name) for form, core, name in self._forms if core in open_ and form in text]

    def replaced(self, text: str, replacement: str) -> str:
        """The text with every form replaced, longer ones first."""
        for form, _ in self.caught(text):
            text = text.replace(form, replacement)
        return text


def _core(value: str, form: str) -> str:
    """The longest part of the value that is in most of its forms, or all of this form."""
    core = max(_PLAIN.findall(value), key=len, default="")
    return core if core and core in form else form


def _gate(core: str, forms: list[str]) -> _Gate:
    if core in forms:
        return _Gate(core, _ANY, _ANY)
    places = [(form, at) for form in forms for at in _places(core, form)]
    before = {form[at - 1 : at] for form, at in places}
    after = {form[at + len(core) :][:1] for form, at in places}
    return _Gate(
        core,
        _ANY if "" in before else frozenset(before),
        _ANY if "" in after else frozenset(after),
    )


def _places(core: str, form: str) -> Iterator[int]:
    at = form.find(core)
    while at >= 0:
        yield at
        at = form.find(core, at + 1)
