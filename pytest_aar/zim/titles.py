"""Titles of articles and paths of entries."""

from collections.abc import Iterator
from urllib.parse import quote, unquote

#: Files before 2022 keep articles in a namespace of their own.
OLD_ARTICLES = "A/"
_OLD_SUFFIX = ".html"
#: What paths leave as it is in files that write titles as codes.
_UNQUOTED = "/:;@$!*(),~'-._&=+"
_LETTERS = "abcdefghijklmnopqrstuvwxyz '-"


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


def one_slip_from(title: str) -> Iterator[str]:
    """What is meant by a title with one slip of the pen: a letter too many, too few, wrong, or two in a wrong order."""
    letters = dict.fromkeys(_LETTERS + title.lower())
    for place in range(len(title) + 1):
        head, tail = title[:place], title[place:]
        yield head + tail[1:]
        yield head + tail[1:2] + tail[:1] + tail[2:]
        for letter in letters:
            yield head + letter + tail[1:]
            yield head + letter + tail
