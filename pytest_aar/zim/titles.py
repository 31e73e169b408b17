"""Titles of articles and paths of entries."""

from collections.abc import Iterator
from urllib.parse import quote, unquote

#: Files before 2022 keep articles in a namespace of their own.
OLD_ARTICLES = "A/"
_OLD_SUFFIX = ".html"
_UNQUOTED = "/:;@$!*(),~'-._&=+"


def normal_title(text: str) -> str:
    """As MediaWiki has it: spaces, a first capital, no section."""
    title = " ".join(text.partition("#")[0].replace("_", " ").split())
    return title[:1].upper() + title[1:]


def paths_of(title: str, *, has_old_namespaces: bool) -> Iterator[str]:
    """Where an article of that title may lie, likeliest first."""
    path = title.replace(" ", "_")
    start = OLD_ARTICLES if has_old_namespaces else ""
    for form in dict.fromkeys(
        (path, title, quote(path, safe=_UNQUOTED), path[:1].lower() + path[1:])
    ):
        yield start + form
        yield start + form + _OLD_SUFFIX


def bare_title(path: str, *, has_old_namespaces: bool) -> str:
    """The title of the article that lies at a path."""
    if has_old_namespaces:
        path = path.removeprefix(OLD_ARTICLES)
    path = path.removesuffix(_OLD_SUFFIX)
    return (unquote(path) if "%" in path else path).replace("_", " ")
