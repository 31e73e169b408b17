"""The client of in-process agents: an httpx.AsyncClient without what a race has no use for."""

from typing import Any

import httpx

#: A request header of the golden agent: it checks values, so it must see all of a result.
WHOLE = "x-aar-whole"


class RaceClient(httpx.AsyncClient):
    """Speaks to one race's routes in process. No cookies, redirects, auth or proxies: half the CPU of a call."""

    def __init__(self, app: Any, base_url: str, *, whole_key: str) -> None:
        """`whole_key`, as the value of the header `WHOLE`, gets a tool's text uncut."""
        self.whole_key = whole_key
        self._road = httpx.ASGITransport(app)
        super().__init__(transport=self._road, base_url=base_url, timeout=None, trust_env=False)
        self._parsed: dict[str, httpx.URL] = {}

    def build_request(self, method: str, url: Any, **parts: Any) -> httpx.Request:
        """As in httpx; the usual case, a relative URL with a body, goes the short way."""
        plain = {name: value for name, value in parts.items() if value is not None}
        short = isinstance(url, str) and plain.keys() <= {"content", "json", "headers", "timeout"}
        if not short:
            return super().build_request(method, url, **parts)
        if url not in self._parsed:
            self._parsed[url] = super().build_request(method, url).url
        plain.pop("timeout", None)  # nothing in process waits for a network
        return httpx.Request(method, self._parsed[url], **plain)

    async def send(
        self, request: httpx.Request, *, stream: bool = False, **_: Any
    ) -> httpx.Response:
        """One pass through the application; the reply is complete."""
        reply = await self._road.handle_async_request(request)
        reply.request = request
        if not stream:
            await reply.aread()
        return reply
