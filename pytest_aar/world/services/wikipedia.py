"""The encyclopaedia's host: `/w/api.php` (MediaWiki) and pages for people."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_aar.sandbox_hosts import WIKI_BASE
from pytest_aar.world.services import site, wiki_parse, wiki_query
from pytest_aar.world.services.answers import Answer, Request, json_answer
from pytest_aar.world.services.wiki_pages import ApiError, Call
from pytest_aar.world.services.wiki_search import opensearch

if TYPE_CHECKING:
    from pytest_aar.world.store import World

_SEE = f"See {WIKI_BASE}/w/api.php for API usage. This is the sandbox world of pytest-aar."


def wikipedia(world: "World", request: Request) -> Answer:
    """Everything on wiki.aar.test."""
    if request.path == "/w/api.php":
        return api(world, request)
    return site.site(world, request)


def api(world: "World", request: Request) -> Answer:
    """`action=parse|query|opensearch`, formatversion 1 and 2."""
    call = Call(
        world=world, query=request.query, modern=request.query.get("formatversion", "1") != "1"
    )
    try:
        return json_answer(_act(call))
    except ApiError as error:
        see = {"docref": _SEE} if call.modern else {"*": _SEE}
        reply = {"error": {"code": error.code, "info": error.info, **see}, "servedby": "sandbox"}
        return replace(json_answer(reply), headers={"mediawiki-api-error": error.code})


def _act(call: Call) -> Any:
    action = call.query.get("action", "help")
    if action == "parse":
        return wiki_parse.parse(call)
    if action == "query":
        return wiki_query.query(call)
    if action == "opensearch":
        return opensearch(call)
    raise ApiError(
        "badvalue",
        f'Unrecognized value for parameter "action": {action}. '
        f"The sandbox knows parse, query and opensearch.",
    )
