"""The fake internet on a port of the loopback, in a thread of its own."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn

from .app import Internet

#: Keys that its services take: any will do, but some must be there.
KEYS = dict.fromkeys(("GOOGLE_API_KEY", "SERPER_API_KEY", "RESTCOUNTRIES_API_KEY"), "a-fake-key")


@dataclass(frozen=True, kw_only=True)
class Served:
    """Where an `Internet` is served."""

    internet: Internet
    url: str

    @property
    def overrides(self) -> dict[str, str]:
        """Service -> base URL, as `aar_services` and `Endpoints.with_overrides` take them."""
        return {
            "wikipedia": f"{self.url}/wikipedia/w/api.php",
            **{name: f"{self.url}/{name}" for name in ("search", "maps", "weather")},
            **{name: f"{self.url}/{name}" for name in ("countries", "stocks", "crypto")},
        }

    @property
    def ini(self) -> str:
        """The lines of a pytest.ini that lead the live world here."""
        return "aar_services =\n" + "".join(
            f"    {name} = {url}\n" for name, url in self.overrides.items()
        )


@contextmanager
def serving(internet: Internet, port: int = 0) -> Iterator[Served]:
    """`internet` on `port` of 127.0.0.1 (0: a free one) until the block ends; then nothing listens there."""
    config = uvicorn.Config(
        internet, host="127.0.0.1", port=port, log_level="critical", lifespan="off", access_log=False,
        timeout_graceful_shutdown=1,
    )  # fmt: skip
    server = uvicorn.Server(config)
    socket = config.bind_socket()
    socket.listen()  # who asks before the thread runs waits for it
    thread = threading.Thread(target=server.run, args=([socket],), name="fake-internet")
    thread.start()
    try:
        yield Served(internet=internet, url=f"http://127.0.0.1:{socket.getsockname()[1]}")
    finally:
        server.should_exit = True
        thread.join()
        socket.close()
