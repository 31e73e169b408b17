"""Pages for people: what a browser sees on wiki.aar.test and under `aar world serve`."""

from html import escape
from typing import TYPE_CHECKING

from pytest_aar.world.render import FOOTER, page_url
from pytest_aar.world.services.answers import HTML, Answer, Request, text_answer

if TYPE_CHECKING:
    from pytest_aar.world.store import World

MAX_HITS = 50
_CSS = """
body{font:16px/1.55 system-ui,sans-serif;color:#202122;background:#f6f6f4;margin:0}
header{display:flex;gap:1rem;align-items:center;background:#1d3d36;padding:.7rem 1.2rem}
header a{color:#fff;text-decoration:none;font-weight:600}
header form{margin-left:auto;display:flex;gap:.4rem}
input,button{font:inherit;padding:.25rem .6rem;border:1px solid #a2a9b1;border-radius:4px}
main{max-width:60rem;margin:1rem auto;background:#fff;border:1px solid #dadad6;padding:1rem 1.6rem}
h1,h2{font-family:Georgia,serif;font-weight:400;border-bottom:1px solid #c8ccd1;margin:.8em 0 .4em}
h1{margin-top:0}a{color:#1a5fb4;text-decoration:none}a:hover{text-decoration:underline}
.infobox{float:right;clear:right;width:19rem;margin:0 0 1rem 1.4rem;background:#f8f9fa;
border:1px solid #a2a9b1;border-spacing:0;font-size:.88em}
.infobox th,.infobox td{padding:.25rem .5rem;text-align:left;vertical-align:top}
.infobox-above{text-align:center!important;font-size:1.15em;background:#e3ece9}
.wikitable{border-collapse:collapse;margin:.6rem 0;font-size:.93em}
.wikitable th,.wikitable td{border:1px solid #c8ccd1;padding:.2rem .55rem;text-align:left}
.wikitable th{background:#eef1ef}.hatnote{font-style:italic;padding-left:1.4rem;color:#54595d}
.sandbox-note,footer{color:#54595d;clear:both}footer{max-width:60rem;margin:0 auto 2rem;
font-size:.85em;padding:0 1.6rem}
@media(max-width:640px){.infobox{float:none;width:auto;margin:0 0 1rem}main{padding:.8rem}}
"""


def site(world: "World", request: Request) -> Answer:
    """The main page, `/wiki/Title`, and `/search?q=`."""
    path = request.path
    if path in {"/", "/wiki", "/wiki/", "/w/index.php"}:
        if "search" in request.query:
            return _search(world, request.query["search"])
        return _page(world, request.query.get("title") or "Main Page")
    if path.startswith("/wiki/"):
        return _page(world, path.removeprefix("/wiki/"))
    if path == "/search":
        return _search(world, request.query.get("q", ""))
    return _missing(path)


def _page(world: "World", name: str) -> Answer:
    title = world.resolve(name)
    if title is None:
        return _missing(name)
    page = world.page(title)
    text = shell(title, page.html)
    headers = {"content-location": page_url(title)}
    return Answer(status=200, content_type=HTML, body=text.encode(), headers=headers)


def _missing(name: str) -> Answer:
    shown = escape(name)
    link = f'<a href="/search?q={escape(name, quote=True)}">Search for it</a>'
    body = f"<p>There is no page called “{shown}” in the sandbox world. {link}.</p>"
    return text_answer(shell("No such page", body), 404, content_type=HTML)


def _search(world: "World", text: str) -> Answer:
    hits = world.finder.find(text)[:MAX_HITS] if text.strip() else []
    rows = "".join(_hit(world, number) for number in hits)
    body = f"<ul>{rows}</ul>" if rows else f"<p>Nothing found for “{escape(text)}”.</p>"
    return text_answer(shell(f"Search: {text}", body, query=text), content_type=HTML)


def _hit(world: "World", number: int) -> str:
    title = world.title_of(number)
    snippet = escape(world.finder.snippet(number))
    return f'<li><a href="{escape(page_url(title))}">{escape(title)}</a><br>{snippet}</li>'


def shell(title: str, body: str, *, query: str = "") -> str:
    """The whole HTML document around a page's content."""
    shown = escape(title)
    value = escape(query, quote=True)
    return f"""<!DOCTYPE html>
<html lang="en" dir="ltr"><head><meta charset="UTF-8"><title>{shown} - Sandbox world</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><style>{_CSS}</style></head>
<body><header><a href="/wiki/Main_Page">Sandbox world</a>
<form action="/search" role="search"><input name="q" value="{value}" placeholder="Search"
aria-label="Search"><button>Search</button></form></header>
<main id="content" class="mw-body"><h1 id="firstHeading" class="firstHeading">{shown}</h1>
<div id="mw-content-text" class="mw-body-content">{body}</div></main>
<footer>{escape(FOOTER)}</footer></body></html>
"""
