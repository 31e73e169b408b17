"""The fixture that lets a tool read a recorded reply."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from recorded import Asked

from pytest_aar.tools import LIVE, Services, ToolResult, call

KEYS = dict.fromkeys(("GOOGLE_API_KEY", "SERPER_API_KEY", "RESTCOUNTRIES_API_KEY"), "k")


@pytest.fixture
def ask(shared: Path, request: pytest.FixtureRequest) -> Asked:
    """Call a tool whose service answers every request with a recorded reply."""

    def run(
        file: str, name: str, arguments: dict[str, Any], *, status: int = 200, **headers: str
    ) -> ToolResult:
        assert file in request.module.READ, f"{file} is missing in READ of this module"
        path = shared / "data/contracts" / file
        kind = "application/json" if path.suffix == ".json" else "text/plain; charset=utf-8"
        headers = {"content-type": kind, **headers}
        reply = httpx.Response(status, content=path.read_bytes(), headers=headers)

        async def over() -> ToolResult:
            transport = httpx.MockTransport(lambda _: reply)
            async with httpx.AsyncClient(transport=transport, trust_env=False) as client:
                return await call(name, arguments, Services(http=client, endpoints=LIVE, keys=KEYS))

        return asyncio.run(over())

    return run
