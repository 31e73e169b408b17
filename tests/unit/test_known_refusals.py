"""A refusal of an API that the key's project doesn't have is heard once a process, and forgotten in time."""

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest
from google_projects import Project

from pytest_aar.gateway.known_refusals import FORGOTTEN_AFTER, KnownRefusals
from pytest_aar.gateway.worlds import open_world
from pytest_aar.settings import Settings
from pytest_aar.tools import LIVE, Services, call

SEARCH = ("maps_search_places", {"query": "museums in Lima"})
DIRECTIONS = ("maps_directions", {"origin": "a", "destination": "b"})
NEW, OLD = "/v1/places:searchText", "/maps/api/place/textsearch/json"


class Above(httpx.AsyncBaseTransport):
    """Where the tape lies: notes what passes."""

    def __init__(self, below: httpx.AsyncBaseTransport) -> None:
        self.below = below
        self.seen: list[tuple[str, int, Any]] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        reply = await self.below.handle_async_request(request)
        body = json.loads(await reply.aread())
        self.seen.append((request.url.path, reply.status_code, body))
        return reply


def calls(
    road: httpx.AsyncBaseTransport, *wanted: Any, key: str = "k1", server: str | None = None
) -> list[bool]:
    endpoints = LIVE.with_overrides({"maps": server} if server else {})

    async def over() -> list[bool]:
        async with httpx.AsyncClient(transport=road, trust_env=False) as client:
            services = Services(http=client, endpoints=endpoints, keys={"GOOGLE_API_KEY": key})
            return [(await call(*one, services)).ok for one in wanted]

    return asyncio.run(over())


def test_each_further_call_costs_one_request_and_looks_the_same_above() -> None:
    project = Project(new=False, legacy=True)
    above = Above(KnownRefusals(httpx.MockTransport(project)))
    assert calls(above, SEARCH, SEARCH, SEARCH) == [True] * 3
    assert project.paths == [NEW, OLD, OLD, OLD]
    assert above.seen[:2] == above.seen[2:4] == above.seen[4:]
    assert [status for _, status, _ in above.seen[:2]] == [403, 200]


def test_families_and_keys_are_told_apart() -> None:
    project = Project(new=False, legacy=True)
    road = KnownRefusals(httpx.MockTransport(project))
    calls(road, SEARCH, DIRECTIONS)
    assert len(project.requests) == 4
    calls(road, SEARCH, key="k2")
    assert project.paths[4:] == [NEW, OLD]
    calls(road, SEARCH, DIRECTIONS, server="https://one.test")
    assert len(project.requests) == 10


def test_an_api_is_tried_again_after_a_while() -> None:
    now = [1000.0]
    project = Project(new=False, legacy=True)
    road = KnownRefusals(httpx.MockTransport(project), clock=lambda: now[0])
    calls(road, SEARCH)
    project.new = True
    now[0] += FORGOTTEN_AFTER - 1
    calls(road, SEARCH)
    assert project.paths[2:] == [OLD]
    now[0] += 2
    calls(road, SEARCH, SEARCH)
    assert project.paths[3:] == [NEW, NEW]


def test_other_refusals_are_asked_for_again() -> None:
    refusal = {"error": {"code": 403, "message": "billing is off", "status": "PERMISSION_DENIED"}}
    project = Project(new=False, legacy=True, refusal=refusal)
    assert calls(KnownRefusals(httpx.MockTransport(project)), SEARCH, SEARCH) == [False] * 2
    assert project.paths == [NEW, NEW]


@pytest.fixture
def google() -> Iterator[tuple[str, Project]]:
    """A project with the legacy APIs alone, behind a port."""
    project = Project(new=False, legacy=True)

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            reply = project(httpx.Request(self.command, f"http://x{self.path}"))
            self.send_response(reply.status_code)
            body = b"".join(reply.stream)  # type: ignore[arg-type]
            for name, text in {**reply.headers, "content-length": str(len(body))}.items():
                self.send_header(name, text)
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", project
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_live_world_remembers(
    google: tuple[str, Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, project = google
    monkeypatch.setenv("GOOGLE_API_KEY", "k1")

    async def over() -> None:
        async with open_world("live", Settings(services={"maps": url})) as world:
            for _ in range(3):
                assert (await call(*SEARCH, world.services)).ok

    asyncio.run(over())
    assert project.paths == [NEW, OLD, OLD, OLD]
