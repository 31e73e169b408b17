"""The road to the model: a pacer or a real server, behind the tape.

Order from the gateway outwards: tape, retries, key, network. So keys and failed attempts never reach a
recording, and a replay never sleeps and needs no key.
"""

import json
import os
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import httpx

from pytest_aar.errors import ConfigurationError
from pytest_aar.settings import Settings

from . import stalls
from .protocols import ANTHROPIC, OPENAI, Vendor, WireProtocol
from .retries import OWN_CHOICE, PROTOCOL, ModelServer
from .session import RaceSession

PACER = "pacer"
PACER_URL = "https://pacer.aar.test/v1"
_VENDORS = (OPENAI, ANTHROPIC)

#: Seconds; a model may think for minutes, the race's own deadline is what ends it.
_TIMEOUTS = {"connect": 15.0, "read": 600.0, "write": 60.0, "pool": 600.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRoute:
    """The run's model: its name on the wire and in file names, where it is, how to get there.

    `base_urls`: by the vendors' variables. `scripted` is the pacer: it follows a plan and can do nothing else
    that a model does.
    """

    name: str
    base_urls: Mapping[str, str]
    options: Mapping[str, Any]
    upstream: httpx.AsyncBaseTransport
    scripted: bool = False

    async def send(
        self,
        protocol: WireProtocol,
        body: Mapping[str, Any],
        session: RaceSession,
        *,
        model: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """Send the agent's call on; the reply's body is still to be read.

        `model`: another one of the same server instead of the run's. `headers`: the agent's, of which only
        those that the protocol's vendor needs go on.

        Raises:
            ModelUnavailable: no key, no connection, refused, or still failing after the retries.
            ReplayDiverged: the tape does not hold this call.
        """
        prepared = protocol.prepare(body, model=model or self.name, options=self.options)
        request = httpx.Request(
            "POST",
            _url(self.base_urls[protocol.vendor.base_variable], protocol.upstream_path),
            headers={
                "content-type": "application/json",
                **protocol.vendor.request_headers(headers or {}),
            },
            stream=_LazyJson(prepared),
            extensions={
                "timeout": _timeouts(is_streamed=bool(prepared.get("stream"))),
                "aar_endpoint": protocol.path,
                "aar_race": session,
                "aar_body": prepared,
                OWN_CHOICE: model is not None,
                PROTOCOL: protocol,
            },
        )
        reply = await self._transport(session).handle_async_request(request)
        reply.request = request
        return reply

    def _transport(self, session: RaceSession) -> httpx.AsyncBaseTransport:
        tape = session.order.tapes.model
        if tape is None:
            return self.upstream
        from pytest_aar.cassettes import TapeTransport  # noqa: PLC0415 - loads vcrpy, only taped races need it

        return TapeTransport(self.upstream, tape=tape)


def _timeouts(*, is_streamed: bool) -> dict[str, float]:
    """A stream begins soon, and its silences have a limit: a little more, so that it is the limit that is told."""
    return {**_TIMEOUTS, "read": stalls.LONGEST_SILENCE + 1} if is_streamed else _TIMEOUTS


@cache  # parsed once, not once per call
def _url(base: str, path: str) -> httpx.URL:
    """Bases with and without the version that the path begins with both do."""
    if base.endswith("/v1"):
        path = path.removeprefix("v1/")
    return httpx.URL(f"{base}/{path}")


class _LazyJson(httpx.AsyncByteStream):
    """Encoded only when it is read: the pacer takes the object, and conversations are long."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        # ASCII escapes: a lone surrogate in what the agent or the model said has no other way out.
        yield json.dumps(self._body, separators=(",", ":")).encode()


def model_route(
    settings: Settings, *, upstream: httpx.AsyncBaseTransport | None = None
) -> ModelRoute | None:
    """The model that the settings name; None when they name none. `upstream` replaces the real road."""
    if settings.model is None:
        return None
    if settings.model == PACER:
        from pytest_aar.pacer import PacerTransport, Skills  # noqa: PLC0415 - a real model needs no pacer

        skills = Skills.parse(settings.pacer)
        return ModelRoute(
            name=skills.model_name,
            base_urls={vendor.base_variable: PACER_URL for vendor in _VENDORS},
            options={},
            upstream=upstream or PacerTransport(skills),
            scripted=True,
        )
    return ModelRoute(
        name=settings.model,
        base_urls={
            vendor.base_variable: _base_url(settings.base_url, vendor) for vendor in _VENDORS
        },
        options={name: _option(text) for name, text in settings.model_options.items()},
        upstream=upstream or ModelServer(environment=os.environ),
    )


def _base_url(given: str | None, vendor: Vendor) -> str:
    url = given or os.environ.get(vendor.base_variable) or vendor.default_base
    source = "--aar-base-url" if given else vendor.base_variable
    if not url.startswith(("http://", "https://")):
        raise ConfigurationError(
            f"the model's base URL {url!r} ({source}) must start with http:// or https://"
        )
    if "@" in urlsplit(url).netloc:
        raise ConfigurationError(
            f"the model's base URL ({source}) holds a user name or password, which would not be sent; "
            f"give https://HOST/... and put the key into {' or '.join(vendor.key_variables)}"
        )
    return url.rstrip("/")


def _option(text: str) -> Any:
    """`0.7` is a number, `true` a truth value, `{"a": 1}` an object, anything else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text
