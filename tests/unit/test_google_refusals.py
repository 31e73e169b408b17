"""A project without Google's present APIs: their refusal is heard once, each further call costs one request."""

import asyncio
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import httpx
import pytest
from google_projects import Project
from loopback_servers import served
from tool_calls import ask, failure, reply

from pytest_aar.gateway.worlds import open_world
from pytest_aar.settings import Settings
from pytest_aar.tools import LIVE, call

KEYS = {"GOOGLE_API_KEY": "g"}
SEARCH = ("maps_search_places", {"query": "museums in Lima"})
DIRECTIONS = ("maps_directions", {"origin": "a", "destination": "b"})
NEW, OLD = "/v1/places:searchText", "/maps/api/place/textsearch/json"
ROUTES, LEGACY = "/directions/v2:computeRoutes", "/maps/api/directions/json"


class Above(httpx.AsyncBaseTransport):
    """Where the tape lies: notes what passes."""

    def __init__(self, below: httpx.AsyncBaseTransport, seen: list[tuple[str, int, Any]]) -> None:
        self.below, self.seen = below, seen

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        reply = await self.below.handle_async_request(request)
        self.seen.append((request.url.path, reply.status_code, json.loads(await reply.aread())))
        return reply

    async def aclose(self) -> None:
        await self.below.aclose()


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("maps_geocode", {"address": "Lima"}), ("maps_elevation", {"locations": ["1,2"]})],
)
@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (400, {"message": "Pass a key", "details": [{"reason": "API_KEY_INVALID"}]}, "denied"),
        (400, {"message": "API key not valid. Please pass a valid API key."}, "denied"),
        (429, {"message": "Slower", "status": "RESOURCE_EXHAUSTED"}, "quota"),
        (400, {"message": "No such point", "status": "INVALID_ARGUMENT"}, "bad_arguments"),
    ],
)
def test_the_older_apis_may_refuse_in_the_shape_of_the_present_ones(
    tool: str, arguments: dict[str, Any], status: int, error: dict[str, Any], kind: str
) -> None:
    body = {"error": {"code": status, **error}}
    found, message = failure(ask(tool, arguments, reply(body, status), keys=KEYS, endpoints=LIVE))
    assert (found, error["message"].removesuffix(".") in message) == (kind, True)
    assert ("; check " in message) is (kind == "denied")


@pytest.fixture
def project() -> Project:
    return Project(new=False, legacy=True)


@pytest.fixture
def server(project: Project) -> Iterator[str]:
    """The project behind one address."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            reply = project(httpx.Request(self.command, f"http://x{self.path}"))
            body = b"".join(reply.stream)  # type: ignore[arg-type]
            self.send_response(reply.status_code)
            for name, text in {**reply.headers, "content-length": str(len(body))}.items():
                self.send_header(name, text)
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    with served(Answers) as port:
        yield f"http://127.0.0.1:{port}"


def test_each_further_call_costs_one_request_and_looks_the_same_to_the_tape(
    server: str, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "k1")
    seen: list[tuple[str, int, Any]] = []

    async def over() -> None:
        settings = Settings(services={"maps": server})
        async with open_world("live", settings, taped=lambda road: Above(road, seen)) as world:
            for wanted in (SEARCH, SEARCH, SEARCH, DIRECTIONS, DIRECTIONS):
                assert (await call(*wanted, world.services)).ok

    asyncio.run(over())
    assert project.paths == [NEW, OLD, OLD, OLD, ROUTES, LEGACY, LEGACY]
    assert seen[:2] == seen[2:4] == seen[4:6]
    assert seen[6:8] == seen[8:]
    assert [(path, status) for path, status, _ in seen[:2]] == [(NEW, 403), (OLD, 200)]
