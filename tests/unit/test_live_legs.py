"""The note on live legs under pytest-xdist, whose workers all tell the controller the same."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from handmade_legs import linear

from pytest_aar.hooks.live_legs import LiveLegs
from pytest_aar.settings import Settings


def test_the_legs_are_read_for_the_first_worker_alone(tmp_path: Path) -> None:
    said: list[str] = []
    terminal = SimpleNamespace(write_line=said.append)
    plugins = SimpleNamespace(get_plugin=lambda _: terminal)
    config: Any = SimpleNamespace(rootpath=tmp_path, pluginmanager=plugins)
    live = linear() | {"seed_url": "https://en.wikipedia.org/wiki/Peru"}
    leg = tmp_path / "001.json"
    settings = Settings(agent="golden", world="auto")
    for tells, kept in ((True, live), (False, linear())):
        leg.write_text(json.dumps(kept))
        notes = LiveLegs(config, settings, "a note")
        notes.pytest_xdist_node_collection_finished(["001.json::001[golden]"])
        assert said == (["a note"] if tells else [])
        leg.write_text("no leg any more")
        notes.pytest_xdist_node_collection_finished(["001.json::001[golden]"])
        assert said == (["a note"] if tells else [])
        said.clear()
