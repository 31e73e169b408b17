"""Every name of every page in folded form; shared by the gazetteer and the search."""

from collections.abc import Iterable, Mapping

from pytest_aar.world.text import fold


def base_name(title: str, kind: str) -> str:
    """The name without what tells namesakes apart: "Paris, United States" -> "Paris"."""
    return title.split(", ", 1)[0] if kind == "city" else title.split(" (", 1)[0]


def name_index(
    titles: Iterable[str], kinds: Iterable[str], redirects: Mapping[str, int]
) -> dict[str, list[int]]:
    """Folded name -> page numbers: by title, by bare name, then by redirect."""
    names: dict[str, list[int]] = {}
    for number, (title, kind) in enumerate(zip(titles, kinds, strict=True)):
        folded = fold(title)
        names.setdefault(folded, []).append(number)
        bare = base_name(title, kind)
        if bare != title and kind != "disambiguation":
            names.setdefault(fold(bare), []).append(number)
    for alias, number in redirects.items():
        known = names.setdefault(fold(alias), [])
        if number not in known:
            known.append(number)
    return names
