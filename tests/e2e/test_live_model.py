"""A model behind a real socket: raced live and recorded, then replayed with the server gone."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KEY = "sk-test-0123456789abcdef0123456789abcdef"


class Model(ThreadingHTTPServer):
    """Fetches the seed page, then says 3."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.heads: list[dict[str, str]] = []


class Handler(BaseHTTPRequestHandler):
    server: Model
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.server.heads.append({name.lower(): value for name, value in self.headers.items()})
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message: dict[str, object] = {"role": "assistant", "content": "3"}
        if not any(said["role"] == "tool" for said in asked["messages"]):
            call = {"name": "countries_area", "arguments": '{"country": "Peru"}'}
            message = {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "call_1", "type": "function", "function": call}],
            }
        usage = {"prompt_tokens": 10, "completion_tokens": 2}
        reply = json.dumps({"choices": [{"message": message}], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def model() -> Iterator[Model]:
    server = Model()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def race(folder: Path, port: int, *options: str) -> tuple[subprocess.CompletedProcess[str], dict]:
    command = [
        sys.executable, "-m", "pytest", "legs/linear/easy/001.json", "-q", "--aar-agent=react",
        "--aar-model=little-model", f"--aar-base-url=http://127.0.0.1:{port}/v1",
        f"--aar-cassettes={folder / 'cassettes'}", f"--aar-results={folder / options[0]}",
        "--aar-gate=errors <= 0", *options[1:],
    ]  # fmt: skip
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        command, cwd=ROOT, env={**env, "AAR_API_KEY": KEY}, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
    line = (folder / options[0] / "results.jsonl").read_text().splitlines()[0]
    return done, json.loads(line)


def test_a_live_model_is_recorded_and_replayed_without_it(model: Model, tmp_path: Path) -> None:
    port = model.server_port
    _, live = race(tmp_path, port, "live", "--aar-record=all")
    assert (live["answer"], live["model_calls"], live["tool_calls"]) == (3, 2, 1)
    assert (live["input_tokens"], live["output_tokens"]) == (20, 4)
    head = model.heads[0]
    assert head["host"] == f"127.0.0.1:{port}"
    assert head["authorization"] == f"Bearer {KEY}"
    model.shutdown()
    _, replayed = race(tmp_path, port, "replayed")
    assert len(model.heads) == 2
    assert replayed["replay"] == {"hits": 2, "misses": 0, "unplayed": 0}
    assert replayed["score"] == live["score"]
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert kept
    assert not [path for path in kept if KEY.encode() in path.read_bytes()]
