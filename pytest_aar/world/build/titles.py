"""Who gets which title: bare names, qualified names, disambiguation pages, redirects."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_aar.world.build.drafts import Draft, link
from pytest_aar.world.records import Block
from pytest_aar.world.text import fold

#: The bare name goes to a page that outranks the next one this many times.
PRIMARY_RATIO = 10.0
#: "Paris, France" leads to Paris; smaller places have no such redirect.
LARGE = 500_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Titled:
    """All pages with their titles (by key), and the redirects (name -> key)."""

    drafts: tuple[Draft, ...]
    title: dict[str, str]
    redirects: dict[str, str]


def give_titles(drafts: Iterable[Draft]) -> Titled:
    """Assign titles; every shared name gets a disambiguation page and hatnotes that lead to it."""
    groups: dict[str, list[Draft]] = defaultdict(list)
    for draft in drafts:
        draft.base = _capital(draft.base)
        draft.qualifiers = tuple(map(_capital, draft.qualifiers))
        groups[draft.base].append(draft)
    title: dict[str, str] = {}
    taken: set[str] = set()
    shared: list[Draft] = []
    for base, group in groups.items():
        group.sort(key=lambda draft: (-draft.rank, draft.key))
        primary = _primary(group)
        if primary is not None:
            title[primary.key] = base
        taken.add(base)
        if len(group) > 1:
            shared.append(_disambiguation(base, group, primary))
            title[shared[-1].key] = f"{base} (disambiguation)" if primary else base
    taken.update(title.values())
    for group in groups.values():
        for draft in group:
            if draft.key not in title:
                title[draft.key] = _free_title(draft, taken)
                taken.add(title[draft.key])
    everything = (*(draft for group in groups.values() for draft in group), *shared)
    return Titled(drafts=everything, title=title, redirects=_redirects(everything, title))


def _capital(name: str) -> str:
    """A title as MediaWiki wants it: single blanks, the first letter upper case."""
    name = " ".join(name.split())
    return name[:1].upper() + name[1:]


def _primary(group: list[Draft]) -> Draft | None:
    if len(group) == 1 or group[0].rank >= PRIMARY_RATIO * max(group[1].rank, 1.0):
        return group[0]
    return None


def _free_title(draft: Draft, taken: set[str]) -> str:
    for wish in draft.qualifiers:
        if wish not in taken:
            return wish
    last = draft.qualifiers[-1] if draft.qualifiers else draft.base
    return f"{last} ({draft.key.split(':', 1)[1]})"


def _disambiguation(base: str, group: list[Draft], primary: Draft | None) -> Draft:
    page = Draft(
        key=f"disambiguation:{base}",
        kind="disambiguation",
        base=base,
        description="disambiguation page",
    )
    page.section("", f"'''{base}''' may refer to:", level=1)
    page.section("Pages", ["ul", *(f"{link(d.key)}, {d.description}" for d in group)])
    for draft in group:
        others = "other uses" if draft is primary else f"others called {base}"
        note: Block = ["hatnote", f"For {others}, see {link(page.key)}."]
        draft.sections[0][2].insert(0, note)
    return page


def _redirects(drafts: tuple[Draft, ...], title: dict[str, str]) -> dict[str, str]:
    """Aliases, qualified names of primaries, and plain spellings, where nobody has them."""
    titles = set(title.values())
    redirects: dict[str, str] = {}
    for draft in sorted(drafts, key=lambda draft: (-draft.rank, draft.key)):
        if draft.kind == "disambiguation":
            continue
        own = title[draft.key]
        plain = _plain(own)
        longer = draft.qualifiers if draft.kind != "airport" and draft.size >= LARGE else ()
        for name in (*map(_capital, draft.aliases), *longer, *((plain,) if plain != own else ())):
            if name and name not in titles:
                redirects.setdefault(name, draft.key)
    return dict(sorted(redirects.items()))


def _plain(text: str) -> str:
    """The text without accents, upper case kept; unchanged where it isn't Latin."""
    folded = "".join(fold(char).upper() if char.isupper() else fold(char) or char for char in text)
    return folded if folded.isascii() else text
