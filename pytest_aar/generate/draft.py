"""The types that the generator's steps hand on, and the seams to the world and the tools.

`PageGraph -> RoutePlan -> Draft -> Leg`; a step that can't go on raises `Rejected` with a reason.
"""

import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from pytest_aar.golden import ToolReply
from pytest_aar.leg import ChainStep, Value

from .levels import Level


class Rejected(ValueError):
    """A gate refused the draft: `gate` is the step's name, `reason` a short key that is counted."""

    def __init__(self, gate: str, reason: str) -> None:
        """Both parts are kept for the tally."""
        self.gate, self.reason = gate, reason
        super().__init__(f"{gate}: {reason}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFact:
    """One typed fact of a page, as it stands there. `section` is "infobox", "lead" or a heading."""

    label: str
    text: str
    value: Value
    value_type: str
    unit: str | None
    section: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLink:
    """One link to another article: its target's title, its anchor text, the section it stands in.

    `section` is as in `PageFact`; links stand in page order, repeated ones as often as they occur.
    `label` is the infobox row's label if that row holds this one link only.
    """

    title: str
    anchor: str
    section: str
    label: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PageNode:
    """One page of the link graph; `kind` is a word such as city, country, airport.

    A node equals itself only, so that what is worked out about it can be kept.

    `location` is (latitude, longitude) where the page has one. `lead` is the text of the first
    paragraph.
    """

    title: str
    url: str
    kind: str
    country: str | None
    location: tuple[float, float] | None
    facts: tuple[PageFact, ...]
    links: tuple[PageLink, ...]
    lead: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageGraph:
    """The pages within the level's depth of the seed, by title, in breadth-first order."""

    seed: str
    pages: Mapping[str, PageNode]


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How to come from one page to the next: by a link on it, or by a search.

    `rule` names the descriptor of the grammar, `slots` fill it; it fits exactly one page. `beside`
    are the pages that a search finds as well.
    """

    kind: Literal["link_follow", "search_query"]
    target: str
    rule: str
    slots: Mapping[str, str]
    anchor: str = ""
    query: str | None = None
    beside: tuple[PageNode, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteStep:
    """One page of the route, the fact to find there, and whether a search leads to it."""

    title: str
    kind: str
    fact: PageFact
    by_search: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A roadblock and detours that build on one another.

    `page` is the place in the route where the thread begins. `template` is None if it begins with
    the page's own figure. `by_value` says that the roadblock is about the fact found there, rather
    than about the page's subject. `on_name`: the detours take the page's text, not the roadblock's
    figure. `others` are (template, by_value) to fall back on.
    """

    page: int
    template: str | None
    by_value: bool = False
    detours: int = 0
    on_name: bool = False
    others: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutePlan:
    """A route over pages, the threads that hang on it, and what `augment` is to add.

    `diamonds` are the places in the route where a fork-merge pattern is to hang, and `spare_detours`
    detours come on top of what is there then.
    """

    route: tuple[RouteStep, ...]
    threads: tuple[Thread, ...]
    diamonds: tuple[int, ...] = ()
    spare_detours: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ref:
    """A clue's reference to an earlier clue: the page reached there, or the value found there."""

    key: str
    what: Literal["page", "value"]
    noun: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a clue asks: a rule of the grammar and what fills its slots."""

    rule: str
    slots: Mapping[str, str | Ref] = field(default_factory=dict)


StopKind = Literal["page", "roadblock", "merge", "detour", "finish"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftStop:
    """One stop before it has a number: stops refer to each other by `key`.

    `sources` are the stops whose values flow into this one; `place` is the title of the page it
    stands on.
    """

    key: str
    kind: StopKind
    place: str
    target: str
    value: Value
    value_type: str
    question: Question
    sources: tuple[str, ...] = ()
    section: str | None = None
    way: Way | None = None
    chain: tuple[ChainStep, ...] = ()
    transform: str | None = None
    code: str | None = None
    template: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A leg in the making: `operands` are keys, `clues` is empty until it is verbalized."""

    graph: PageGraph
    plan: RoutePlan
    stops: tuple[DraftStop, ...]
    operands: tuple[str, ...] = ()
    expression: str = ""
    digit: int | None = None
    clues: str = ""

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles of the route's pages, in order."""
        return tuple(step.title for step in self.plan.route)

    @property
    def golden_values(self) -> tuple[Value, ...]:
        """The values of all stops but the finish line, which no clue may tell."""
        return tuple(stop.value for stop in self.stops if stop.kind != "finish")

    def stop(self, key: str) -> DraftStop:
        """The stop of that key."""
        return next(stop for stop in self.stops if stop.key == key)


class Atlas(Protocol):
    """What the generator asks of a world: its pages."""

    async def node(self, title: str) -> PageNode | None:
        """One page with its facts and links; None if there is no such page or it can't be read."""

    def peek(self, title: str) -> PageNode | None:
        """The same without asking anybody: None where that is not possible."""


#: Asks a model: its role and a question to its answer.
Ask = Callable[[str, str], Awaitable[str]]
CallTool = Callable[[str, Mapping[str, Any]], Awaitable[ToolReply]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What every step works with: level, variant, world, tools, seeded chance.

    `read` asks the tools, too, but nothing twice for one draft. `digit` is the one that the leg is to
    end on, None for any; `may_root`: its finish line may be a digital root; `rare` and
    `rare_template`: the transform and the template that it is to have if a value and a page allow that.
    A place may be found up to `degrees` away from where its page says that it is. `planner` and
    `verbalizer` ask a model, None where chance and grammar do that.
    """

    level: Level
    variant: str
    atlas: Atlas
    call_tool: CallTool
    chance: random.Random
    read: CallTool
    digit: int | None = None
    may_root: bool = True
    rare: str | None = None
    rare_template: str | None = None
    degrees: float = 0.02
    planner: Ask | None = None
    verbalizer: Ask | None = None

    def page(self, graph: PageGraph, title: str) -> PageNode | None:
        """A page of the graph, or one that can be had without asking."""
        return graph.pages.get(title) or self.atlas.peek(title)
