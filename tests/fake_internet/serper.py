"""Serper's web search over the library: the page that a leg's query leads to stands first."""

from typing import Any

from .answer_book import AnswerBook, folded
from .exchange import Asked, Reply, as_json
from .library import Library


def answer(book: AnswerBook, library: Library, asked: Asked) -> Reply:
    """The reply to `POST /search`."""
    if not asked.headers.get("x-api-key"):
        return as_json(
            {"message": "Unauthorized. Sign up for a free account.", "statusCode": 403}, 403
        )
    query, most = asked.body["q"], asked.body.get("num", 10)
    known = book.results.get(folded(query))
    titles = [hit.title for hit in library.search(query, most) if hit.title != known]
    found = [known, *titles] if known else titles
    organic = [_hit(title, place) for place, title in enumerate(found[:most], 1)]
    return as_json(
        {"searchParameters": {"q": query, "type": "search"}, "organic": organic, "credits": 1}
    )


def _hit(title: str, place: int) -> dict[str, Any]:
    link = f"https://en.wikipedia.org/wiki/{title.replace(' ', '_')}"
    return {
        "title": f"{title} - Wikipedia",
        "link": link,
        "snippet": f"About {title}.",
        "position": place,
    }
