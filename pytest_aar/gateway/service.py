"""The gateway of a pytest process: opens races, runs coroutines on the one loop, serves the routes."""

import asyncio
import secrets
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import httpx

from pytest_aar.leg import Leg
from pytest_aar.settings import Settings, zim_choice

from .loop import LoopThread
from .own_world import check_own_world
from .redirects import Redirects
from .session import RaceOrder, RaceSession, Roads
from .tool_road import TapedRoad
from .wiki_pin import wiki_at

if TYPE_CHECKING:
    from pytest_aar.cassettes import Tape
    from pytest_aar.cost import Prices
    from pytest_aar.manners.refusals import Refusals

    from .race import OpenRace
    from .server import TcpServer, UnixServer
    from .upstream import ModelRoute

T = TypeVar("T")

#: `open_world(name, settings, taped=..., meeting=...)`: an async context manager over services and world hash.
WorldOpener = Callable[..., AbstractAsyncContextManager[Any]]


class Gateway:
    """One per process; `close()` it at the session's end. Races in one process run one after another.

    `upstream` replaces the road to the model, `open_world` the road to the tools' services. `meeting` is the folder
    where the run's workers share their manners towards live services; None: this process is alone.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        upstream: httpx.AsyncBaseTransport | None = None,
        open_world: WorldOpener | None = None,
        meeting: Path | None = None,
    ) -> None:
        self.settings = settings
        self._meeting = meeting
        self._upstream, self._open_world = upstream, open_world
        self._threads = LoopThread()
        self._races: dict[str, OpenRace] = {}
        self._worlds: dict[str, Any] = {}
        self._stack = AsyncExitStack()
        self._app: Any = None
        self._server: TcpServer | None = None
        self._unix: UnixServer | None = None
        self._route: ModelRoute | None = None
        self._prices: Prices | None = None

    def __enter__(self) -> "Gateway":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def model_name(self) -> str | None:
        """The model's name for file names and results (a pacer's carries a hash of its skills), or None."""
        route = self._model()
        return route.name if route else None

    @property
    def prices(self) -> "Prices":
        """The table of prices, read at the first use."""
        if self._prices is None:
            from pytest_aar.cost import read_prices  # noqa: PLC0415 - only races need it

            self._prices = read_prices(self.settings.prices)
        return self._prices

    @property
    def refusals(self) -> "Refusals | None":
        """What the run's workers know of services that refuse it, None without a folder to share."""
        if self._meeting is None:
            return None
        from pytest_aar.manners.refusals import Refusals  # noqa: PLC0415 - loads httpx

        return Refusals(self._meeting)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the gateway's loop and wait for it; not to be called on that loop."""
        return self._threads.run(work)

    def world_name(self, leg: Leg) -> str:
        """The world that answers the tools of this leg: "sandbox", "live", or one of a ZIM file."""
        if self.settings.world != "auto":
            return self.settings.world
        return "sandbox" if leg.is_sandbox else "live"

    def world_hash(self, leg: Leg) -> str | None:
        """Hash of the world's data for this leg; None when it is live. Opens the world.

        Raises ConfigurationError: the leg's pages are of another world, or not in the ZIM file that was chosen.
        """
        choice = zim_choice(self.settings.world)
        if choice is not None:
            from .zim_world import check_wiki  # noqa: PLC0415 - only this world needs it

            check_wiki(choice, self.settings, leg)
        check_own_world(self.world_name(leg), leg)
        found: str | None = self.run(self._world(self.world_name(leg))).world_hash
        return found

    def open_race(self, order: RaceOrder) -> RaceSession:
        """Open a race: from now on its token fits, until its `close()`."""
        return self.run(self._open(order))

    def golden_redirects(self, leg: Leg, tape: "Tape | None") -> Redirects:
        """Where the addresses of the leg's golden pages lead in the live world; see `golden_titles`."""
        return self.run(self._golden_redirects(leg, tape))

    def close(self) -> None:
        """Close races, server, worlds and the loop. The gateway is not used again."""
        try:
            self.run(self._close())
        finally:
            self._threads.close()

    async def _open(self, order: RaceOrder) -> RaceSession:
        from .app import make_app  # noqa: PLC0415 - loads starlette, only races need it
        from .race import OpenRace  # noqa: PLC0415 - loads the tools

        services = await self._services(order.leg)
        roads = Roads(
            client=self._client, url=self._url, socket=self._socket, close=self._close_race
        )
        session = RaceSession(
            order, token=secrets.token_urlsafe(16), roads=roads, prices=self.prices
        )
        if self._app is None:
            self._app = make_app(self._races)
        self._races[session.token] = OpenRace(
            session,
            services=services,
            model=self._model(),
            settings=self.settings,
            refusals=self.refusals,
        )
        return session

    async def _services(self, leg: Leg) -> Any:
        """The services of the leg's world, bound to the time that its race reads Wikipedia of."""
        name = self.world_name(leg)
        world = await self._world(name)
        at = wiki_at(self.settings, leg, name)
        return world.services if at is None else replace(world.services, wiki_at=at)

    async def _golden_redirects(self, leg: Leg, tape: "Tape | None") -> Redirects:
        from .golden_titles import golden_redirects  # noqa: PLC0415 - loads the tools

        world = await self._world(self.world_name(leg))
        return await golden_redirects(leg, world.services, tape)

    async def _world(self, name: str) -> Any:
        if name not in self._worlds:
            opener = self._open_world or _default_opener()
            # The sandbox is deterministic and never taped.
            roads = {} if name == "sandbox" else {"taped": TapedRoad, "meeting": self._meeting}
            opened = opener(name, self.settings, **roads)
            self._worlds[name] = await self._stack.enter_async_context(opened)
        return self._worlds[name]

    def _model(self) -> "ModelRoute | None":
        if self._route is None:
            from .upstream import model_route  # noqa: PLC0415 - loads the pacer

            self._route = model_route(self.settings, upstream=self._upstream)
        return self._route

    def _client(self, token: str) -> httpx.AsyncClient:
        from .client import RaceClient  # noqa: PLC0415 - only races need it

        race = self._races.get(token)
        whole_key = race.whole_key if race else ""  # a closed race answers 404 to anything
        return RaceClient(self._app, f"http://gateway/r/{token}/", whole_key=whole_key)

    def _url(self, token: str) -> str:
        from .server import TcpServer  # noqa: PLC0415 - loads uvicorn, only child processes need it

        if self._server is None:
            self._server = TcpServer(self._app, self._threads.loop)
        return f"{self._server.url()}/r/{token}"

    def _socket(self) -> Path:
        from .server import UnixServer  # noqa: PLC0415 - loads uvicorn, only boxes need it

        if self._unix is None:
            self._unix = UnixServer(self._app, self._threads.loop)
        return self._unix.path()

    def _close_race(self, session: RaceSession) -> None:
        self._races.pop(session.token, None)

    async def _close(self) -> None:
        self._races.clear()
        async with AsyncExitStack() as ends:  # one that fails keeps none of the others from its end
            if self._route is not None:
                ends.push_async_callback(self._route.upstream.aclose)
            ends.push_async_callback(self._stack.aclose)
            if self._server is not None:
                ends.push_async_callback(self._server.stop)
            if self._unix is not None:
                ends.push_async_callback(self._unix.stop)
        await asyncio.sleep(0)  # let connections that were just closed say so


def _default_opener() -> WorldOpener:
    from .worlds import open_world  # noqa: PLC0415 - loads the tools

    return open_world
