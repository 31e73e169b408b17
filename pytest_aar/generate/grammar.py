"""The clue grammar: a question and the numbers of the stops it refers to, to one clue's text."""

import random
from collections.abc import Mapping, Sequence

from .draft import DraftStop, Ref, Way
from .phrases import DETOURS, FACTS, FINISH, REFERENCES, WAYS
from .task_phrases import TASKS


class Grammar:
    """Seeded choice among wordings; one wording of a rule is used again only after all others."""

    def __init__(self, numbers: Mapping[str, int], chance: random.Random) -> None:
        self._numbers, self._chance = numbers, chance
        self._unused: dict[tuple[str, str], list[str]] = {}

    def page(self, stop: DraftStop, before: str | None) -> str:
        """Way and question of a page stop; `before` is the key of the page stop before it."""
        return f"{self._way(stop.way, before)} {self._filled('fact', FACTS, stop)}"

    def task(self, stop: DraftStop) -> str:
        """A roadblock's, merge's or detour's question."""
        table, name = (DETOURS, "detour") if stop.kind == "detour" else (TASKS, "task")
        return self._filled(name, table, stop)

    def finish(self, stop: DraftStop) -> str:
        """The finish line's question."""
        figures = _listed(sorted(self._numbers[key] for key in stop.sources))
        return self._variant("finish", FINISH, stop.question.rule).format(figures=figures)

    def _way(self, way: Way | None, before: str | None) -> str:
        if way is None or before is None:
            return self._variant("way", WAYS, "seed")
        slots = {**way.slots, "from": str(self._numbers[before])}
        return _article(self._variant("way", WAYS, way.rule).format(**slots))

    def _filled(self, name: str, table: Mapping[str, Sequence[str]], stop: DraftStop) -> str:
        slots = {slot: self._said(value) for slot, value in stop.question.slots.items()}
        return self._variant(name, table, stop.question.rule).format(**slots)

    def _said(self, value: str | Ref) -> str:
        if isinstance(value, str):
            return value
        number = str(self._numbers[value.key])
        if value.noun == "bare":
            return number
        plain = value.noun in {"name", "whole"}
        rule = value.noun if plain else value.what if value.noun else "figure"
        return self._variant("reference", REFERENCES, rule).format(noun=value.noun, n=number)

    def _variant(self, name: str, table: Mapping[str, Sequence[str]], rule: str) -> str:
        unused = self._unused.setdefault((name, rule), [])
        if not unused:
            unused.extend(self._chance.sample(table[rule], len(table[rule])))
        return unused.pop()


def _listed(numbers: Sequence[int]) -> str:
    *first, last = map(str, numbers)
    return f"{', '.join(first)} and {last}"


def _article(text: str) -> str:
    """Correct the article before a vowel: an airport."""
    return text.replace(" a airport", " an airport").replace("A airport", "An airport")
