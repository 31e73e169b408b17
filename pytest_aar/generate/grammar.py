"""The clue grammar: a question and the numbers of the stops it refers to, to one clue's text."""

import random
import re
from collections.abc import Mapping, Sequence

from .detour_phrases import DETOURS, FINISH
from .draft import DraftStop, PageNode, Ref, Way
from .phrases import FACTS, PLAIN_FACTS, PORTRAITS, REFERENCES, THINGS, WAYS, WHERE
from .portraits import article
from .task_phrases import TASKS

#: Share of the page clues that say in other words what a label stands for.
_PLAIN_SHARE = 0.5
_SENTENCE = re.compile(r"(^|[.?!] )([a-z])")
_INFOBOX = "infobox"


class Grammar:
    """Seeded choice among wordings; one wording of a rule is used again only after all others."""

    def __init__(self, numbers: Mapping[str, int], chance: random.Random) -> None:
        self._numbers, self._chance = numbers, chance
        self._unused: dict[tuple[str, str], list[str]] = {}

    def page(
        self, stop: DraftStop, before: str | None, node: PageNode, portrait: str | None = None
    ) -> str:
        """Way, portrait and question of a page stop; `before` is the key of the page before it."""
        way = self._way(stop.way, before)
        who = self._variant("portrait", PORTRAITS, "portrait") if portrait else ""
        parts = (way, who.format(portrait=portrait), self._fact(stop, node))
        return _sentences(" ".join(filter(None, parts)))

    def task(self, stop: DraftStop) -> str:
        """A roadblock's, merge's or detour's question."""
        table, name = (DETOURS, "detour") if stop.kind == "detour" else (TASKS, "task")
        slots = {slot: self._said(value) for slot, value in stop.question.slots.items()}
        return _sentences(self._variant(name, table, stop.question.rule).format(**slots))

    def finish(self, stop: DraftStop) -> str:
        """The finish line's question."""
        figures = _listed(sorted(self._numbers[key] for key in stop.sources))
        return self._variant("finish", FINISH, stop.question.rule).format(figures=figures)

    def _way(self, way: Way | None, before: str | None) -> str:
        if way is None or before is None:
            return self._variant("way", WAYS, "seed")
        slots = {**way.slots, "from": str(self._numbers[before])}
        if "kind" in slots:
            slots["a_kind"] = article(slots["kind"])
        return self._variant("way", WAYS, way.rule).format(**slots)

    def _fact(self, stop: DraftStop, node: PageNode) -> str:
        rule, slots = stop.question.rule, stop.question.slots
        section = stop.section or _INFOBOX
        place = section if section in WHERE else "section"
        where = self._variant("where", WHERE, place).format(section=section)
        thing = self._thing(stop, node)
        table, name = (PLAIN_FACTS, "plain") if thing else (FACTS, "fact")
        variant = self._variant(name, table, rule)
        return variant.format(
            label=stop.target, thing=thing, where=where, unit=slots.get("unit", "")
        )

    def _thing(self, stop: DraftStop, node: PageNode) -> str | None:
        """What a label stands for, if no other label of the page has to do with the same."""
        label = stop.target.casefold()
        alike = [fact for fact in node.facts if label in fact.label.casefold()]
        if label not in THINGS or len(alike) > 1 or self._chance.random() >= _PLAIN_SHARE:
            return None
        return self._variant("thing", THINGS, label)

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


def _sentences(text: str) -> str:
    """A text whose sentences begin with capitals."""
    return _SENTENCE.sub(lambda found: found[1] + found[2].upper(), text)
