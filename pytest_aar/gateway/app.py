"""The ASGI application: routes below `/r/<token>/`, everything else is 404 in JSON."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from .client import WHOLE
from .nesting import check_depth
from .protocols import PROTOCOLS
from .race import OpenRace
from .replies import BadRequest, error_reply, json_object


class _Anything(Convertor[str]):
    """The rest of the path, line breaks and slashes included: a tool's name as a model makes it up."""

    regex = "(?s:.*)"

    def convert(self, value: str) -> str:
        """As it is."""
        return value

    def to_string(self, value: str) -> str:
        """As it is."""
        return value


register_url_convertor("anything", _Anything())

Endpoint = Callable[[Request, OpenRace], Awaitable[Response]]


def make_app(races: Mapping[str, OpenRace]) -> Starlette:
    """The application over the open races, by token. `races` is read at each request."""

    def bound(endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
        async def serve(request: Request) -> Response:
            race = races.get(request.path_params["token"])
            if race is None:
                return error_reply(
                    404, "no open race has this token: the race has ended, or the URL is wrong"
                )
            try:
                return await endpoint(request, race)
            except BadRequest as error:
                return error_reply(error.status, error.message)
            except ClientDisconnect:
                return error_reply(400, "the client went away before its request was complete")
            except Exception as error:  # noqa: BLE001 - noted as the race's problem, or it would vanish behind a bare 500
                return error_reply(500, str(race.note_fault(error)))

        return serve

    routes = [
        Route("/r/{token}/tools/{name:anything}", bound(_tool), methods=["POST"]),
        *(Route(f"/r/{{token}}/{path}", bound(_model), methods=["POST"]) for path in PROTOCOLS),
        Route("/r/{token}/openai/v1/responses", _no_websocket, methods=["GET"]),
        *(Route(f"/r/{{token}}/anthropic{slash}", _there, methods=["HEAD"]) for slash in ("", "/")),
        Route("/r/{token}/openai/v1/models", bound(_models), methods=["GET"]),
        Route("/r/{token}/mcp", bound(_mcp), methods=["POST"]),
        Route("/r/{token}/task", bound(_task), methods=["GET"]),
    ]
    return Starlette(routes=routes, exception_handlers={404: _not_found, 405: _wrong_method})


async def _tool(request: Request, race: OpenRace) -> Response:
    name = request.path_params["name"]
    try:
        arguments = await json_object(request, room=race.room)
        check_depth(arguments)
    except BadRequest as error:
        race.note_bad_call(name, error.message)
        raise
    whole = request.headers.get(WHOLE) == race.whole_key
    reply = await race.call_tool(name, arguments, whole=whole)
    # An error result is a result, but `curl -f` and the like must see that it is none.
    return PlainTextResponse(
        reply.text,
        status_code=200 if reply.ok else 422,
        headers={"x-aar-ok": "true" if reply.ok else "false", "x-should-retry": "false"},
    )


async def _model(request: Request, race: OpenRace) -> Response:
    path = request.url.path.split("/", 3)[3]
    body = await json_object(request, race.read_body, room=race.room)
    try:
        return await race.call_model(PROTOCOLS[path], body, headers=request.headers)
    except RecursionError as error:  # it could be read, but not written again
        raise BadRequest(400, "the request body is nested too deeply") from error


async def _mcp(request: Request, race: OpenRace) -> Response:
    from .mcp_road import answered  # noqa: PLC0415 - only races that speak MCP need it

    return await answered(request, race)


async def _no_websocket(request: Request) -> Response:
    """Codex tries a websocket at some providers; after 426 it posts, after anything else it tries again."""
    if request.headers.get("upgrade"):
        return error_reply(426, "no websockets here: POST the request")
    return await _wrong_method(request, None)


async def _there(request: Request) -> Response:
    """Claude Code asks for the base address before its first call."""
    return Response()


async def _models(request: Request, race: OpenRace) -> Response:
    entries = [
        {"id": name, "object": "model", "created": 0, "owned_by": "aar"} for name in race.models()
    ]
    return JSONResponse({"object": "list", "data": entries})


async def _task(request: Request, race: OpenRace) -> Response:
    return JSONResponse(race.task())


async def _not_found(request: Request, _: Exception) -> Response:
    served = ["tools/{name}", *PROTOCOLS, "openai/v1/models", "mcp", "task"]
    return error_reply(
        404, f"nothing is served at this path; below /r/<token>/ there are: {', '.join(served)}"
    )


async def _wrong_method(request: Request, _: Any) -> Response:
    return error_reply(
        405, f"{request.method} does not fit this path (tools, models and mcp: POST; task: GET)"
    )
