"""How the path of an article's address is written: one way for what tools answer and for the links of pages."""

from urllib.parse import quote

from pytest_aar.sandbox_hosts import WIKI_PAGES

#: What MediaWiki leaves as it is in addresses of its own.
_AS_IS = "/:;@$!*(),~-._"
#: Pages of the sandbox world leave apostrophes, too: its legs and recordings hold them.
_AS_IS_IN_SANDBOX = f"{_AS_IS}'"


def article_path(title: str, *, in_sandbox: bool = False) -> str:
    """What follows /wiki/ in the address of the article `title`."""
    return quote(title.replace(" ", "_"), safe=_AS_IS_IN_SANDBOX if in_sandbox else _AS_IS)


def article_url(pages: str, title: str) -> str:
    """The address of the article `title` of a wiki whose articles lie at `pages`."""
    return pages + article_path(title, in_sandbox=pages == WIKI_PAGES)
