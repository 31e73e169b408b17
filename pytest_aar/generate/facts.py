"""Which facts of a page make a fair question."""

import re
from functools import lru_cache

from pytest_aar.golden.pages import dates, typed
from pytest_aar.golden.records import same
from pytest_aar.readings import number_of

from .draft import PageFact, PageNode
from .levels import Level

_TWO_DIGITS = 10
_NAME = re.compile(r"[^\W\d_][^\d_/()]{3,40}")
#: Nearly every place's page has them, and who knows the place needs no page for them.
_WELL_KNOWN = frozenset({"country", "capital"})
_INFOBOX, _LEAD = "infobox", "lead"
_NARROW = "prose"
#: Pages whose facts are kept.
_KEPT = 16_384


@lru_cache(_KEPT)
def usable_facts(page: PageNode, level: Level) -> tuple[PageFact, ...]:
    """Facts that make a fair question: one value per label, readable by rule, of the level's kind.

    Easy levels ask for facts of the infobox and the lead, the others for those of any section, too.
    """
    by_label: dict[str, list[PageFact]] = {}
    for fact in page.facts:
        by_label.setdefault(fact.label.casefold(), []).append(fact)
    single = [facts[0] for facts in by_label.values() if len({fact.value for fact in facts}) == 1]
    return tuple(fact for fact in single if _in_reach(fact, level) and _is_fair(fact))


def is_well_known(fact: PageFact) -> bool:
    """Whether a fact is likely to be known without its page."""
    return fact.label.casefold() in _WELL_KNOWN


def _in_reach(fact: PageFact, level: Level) -> bool:
    return level.extraction != _NARROW or fact.section in (_INFOBOX, _LEAD)


def _is_fair(fact: PageFact) -> bool:
    """Figures of two digits or more, dates, names in plain letters; no codes or coordinates."""
    if fact.value_type == "text":
        return bool(_NAME.fullmatch(fact.text)) and fact.text == fact.value
    if not same(typed(fact.text, fact.value_type), fact.value):
        return False
    if fact.value_type == "date":
        return len(set(dates(fact.text))) == 1
    number = number_of(fact.value)
    return number is not None and number >= _TWO_DIGITS
