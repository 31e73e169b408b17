"""The sandbox world in the place of the live services, and a leg that is raced on them."""

import json
import socket
import threading
import time
from pathlib import Path

import uvicorn

from pytest_aar.world import asgi_app, load

LEG = Path(__file__).parents[1] / "fixed/legs/linear/easy/001.json"
SERVICES = ("search", "maps", "weather", "countries", "stocks", "crypto")


class LiveServices:
    """The sandbox world behind a real port, as a mirror of the live services: what it is asked is counted."""

    def __init__(self) -> None:
        self.requests = 0
        self._app = asgi_app(load())
        listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        config = uvicorn.Config(self._counted, interface="asgi3", log_level="error", lifespan="off")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([listening],))
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)

    async def _counted(self, scope, receive, send) -> None:
        self.requests += 1
        await self._app(scope, receive, send)

    def options(self) -> list[str]:
        addresses = {"wikipedia": f"{self.url}/w/api.php"} | dict.fromkeys(SERVICES, self.url)
        return [f"--aar-services={name}={address}" for name, address in addresses.items()]

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=10)
        assert not self._thread.is_alive()


def only_live_leg(project, **fields) -> None:
    """Of the project's legs one of the live world is left; `fields` are of its file, in place of its own."""
    project.drop_legs()
    wire = json.loads(LEG.read_text().replace("wiki.aar.test", "en.wikipedia.org"))
    project.write_leg("linear/easy/001", {**wire, **fields})
