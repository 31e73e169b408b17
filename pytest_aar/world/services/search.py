"""Web search in Serper's shape; it knows the encyclopaedia and nothing else."""

from typing import TYPE_CHECKING

from pytest_aar.world.services.answers import Answer, Request, json_answer
from pytest_aar.world.services.wiki_pages import full_url

if TYPE_CHECKING:
    from pytest_aar.world.store import World

MAX_RESULTS = 100


def search(world: "World", request: Request) -> Answer:
    """`POST /search` with `{"q": ..., "num": ..., "page": ...}`."""
    if request.path != "/search":
        return json_answer({"message": "Not found: the sandbox serves POST /search"}, 404)
    try:
        wanted = request.json() if request.body else dict(request.query)
        number, page = int(wanted.get("num", 10)), int(wanted.get("page", 1))
    except (ValueError, TypeError):
        return _bad("Body must be a JSON object with a text q and whole numbers num, page")
    text = wanted.get("q")
    if not isinstance(text, str) or not text.strip():
        return _bad("Missing query parameter")
    number, page = min(max(number, 1), MAX_RESULTS), max(page, 1)
    hits = world.finder.find(text)[(page - 1) * number : page * number]
    organic = [
        {
            "title": f"{world.title_of(hit)} - Sandbox encyclopaedia",
            "link": full_url(world.title_of(hit)),
            "snippet": world.finder.snippet(hit),
            "position": position,
        }
        for position, hit in enumerate(hits, 1)
    ]
    parameters = {"q": text, "type": "search", "num": number, "page": page, "engine": "sandbox"}
    return json_answer({"searchParameters": parameters, "organic": organic, "credits": 1})


def _bad(message: str) -> Answer:
    return json_answer({"message": message, "statusCode": 400}, 400)
