"""Loopback servers that play the outside web: 127.0.0.9 is the one public address, 127.0.0.1 a trap."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import httpx

from pytest_aar.tools import LIVE, PublicPages, Reach, Services, ToolResult, call
from pytest_aar.tools.outside import look_up
from pytest_aar.tools.outside_road import OutsideRoad
from pytest_aar.tools.public_address import not_public

PUBLIC = "127.0.0.9"
Handler = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]


@dataclass(slots=True, kw_only=True)
class Web:
    """The running servers: what they were asked, who fell into the trap, which names were looked up."""

    port: int = 0
    names: dict[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    heads: list[bytes] = field(default_factory=list)
    trapped: int = 0
    looked_up: list[str] = field(default_factory=list)

    @property
    def reach(self) -> Reach:
        return Reach(ports=frozenset({self.port}), objection=_objection, resolve=self._resolve)

    def url(self, path: str = "/", *, host: str = "page.test", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    def services(self, *, seconds: float = 5.0) -> Services:
        pages = httpx.AsyncClient(transport=OutsideRoad(self.reach, seconds=seconds))
        nothing = httpx.AsyncClient(transport=httpx.MockTransport(_unwanted))
        guard = PublicPages(reach=self.reach)
        return Services(http=nothing, endpoints=LIVE, guard=guard, pages=pages)

    async def fetch(self, url: str, *, seconds: float = 5.0) -> ToolResult:
        services = self.services(seconds=seconds)
        assert services.pages is not None
        async with services.pages:
            return await call("fetch_webpage", {"url": url}, services)

    async def _resolve(self, host: str, port: int) -> Sequence[str]:
        """Names of the test, each look-up its next answer; any other host as the system takes it."""
        self.looked_up.append(host)
        if host not in self.names:
            return await look_up(host, port)
        answers = self.names[host]
        return answers[min(self.looked_up.count(host), len(answers)) - 1]


@asynccontextmanager
async def web(handler: Handler) -> AsyncIterator[Web]:
    """The public server answers by `handler`; the trap on the same port of 127.0.0.1 and ::1 only counts."""
    one = Web(names={"page.test": [[PUBLIC]]})

    serving: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        serving.add(task)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                head = await reader.readuntil(b"\r\n\r\n")
                one.heads.append(head)
                await handler(head, writer)
        finally:
            await _closed(writer)
            serving.discard(task)

    async def trap(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        one.trapped += 1
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecret")
        writer.close()

    public = await asyncio.start_server(serve, PUBLIC, 0)
    one.port = public.sockets[0].getsockname()[1]
    traps = [await asyncio.start_server(trap, "127.0.0.1", one.port)]
    if socket.has_ipv6:
        with suppress(OSError):  # machines without ::1
            traps.append(await asyncio.start_server(trap, "::1", one.port))
    try:
        yield one
    finally:
        for server in (public, *traps):
            server.close()
        await asyncio.sleep(0)
        await asyncio.wait(serving, timeout=0.2) if serving else None
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving)


async def _closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()


def fetched(
    handler: Handler, url: str = "/", *, seconds: float = 5.0, **names: object
) -> tuple[ToolResult, Web]:
    """The result for a URL (PORT: the server's) or a path of page.test."""

    async def over() -> tuple[ToolResult, Web]:
        async with web(handler) as one:
            one.names.update(names)  # type: ignore[arg-type]
            whole = one.url(url) if url.startswith("/") else url.replace("PORT", str(one.port))
            return await one.fetch(whole, seconds=seconds), one

    return asyncio.run(over())


def page(body: bytes, *headers: str, kind: str = "text/plain") -> Handler:
    """Answers with one body."""

    async def handler(head: bytes, writer: asyncio.StreamWriter) -> None:
        lines = ("HTTP/1.1 200 OK", f"content-type: {kind}", f"content-length: {len(body)}")
        writer.write("\r\n".join((*lines, *headers, "", "")).encode() + body)
        await writer.drain()

    return handler


def redirect(location: str) -> Handler:
    """Answers with a redirect; PORT stands for the server's."""

    async def handler(head: bytes, writer: asyncio.StreamWriter) -> None:
        port = str(writer.get_extra_info("sockname")[1])
        target = location.replace("PORT", port)
        writer.write(
            f"HTTP/1.1 302 Found\r\nlocation: {target}\r\ncontent-length: 0\r\n\r\n".encode()
        )
        await writer.drain()

    return handler


async def drip_body(head: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 9000\r\n\r\n")
    await drip(writer, b"x")


async def drip(writer: asyncio.StreamWriter, drop: bytes) -> None:
    while not writer.is_closing():
        writer.write(drop)
        await writer.drain()
        await asyncio.sleep(0.05)


def _objection(address: str) -> str | None:
    return None if address == PUBLIC else not_public(address) or "not of this test"


def _unwanted(request: httpx.Request) -> httpx.Response:
    raise AssertionError(f"the road of the services was taken: {request.url}")
