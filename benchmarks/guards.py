"""What the guards of two tools cost: python_execute_code's sandbox, and the checks on pages from outside.

Run: `python benchmarks/guards.py`. One call of the tool against the same interpreter started plainly
(`python -I -S -B -c`), one fetch of a 20 kB page from a loopback server against plain httpx, each on a connection of
its own, as the guard has it. All in one process, in turn; medians. Targets: a call below 60 ms, the guard's share of a
fetch below 2 ms.
"""

import asyncio
import os
import statistics
import subprocess
import time
from collections.abc import Awaitable, Callable

import httpx
from tabulate import tabulate

from pytest_aar.box.isolation import probe
from pytest_aar.box.python_walls import walls_for
from pytest_aar.processes import base_interpreter
from pytest_aar.tools import Reach, SubprocessRunner
from pytest_aar.tools.outside_road import OutsideRoad

CALLS, FETCHES = 30, 300
CODE = "print(sum(range(100)))"
PAGE = b"<p>" + b"words and words " * 1250 + b"</p>"

Work = Callable[[], Awaitable[None]]


def spent() -> float:
    """CPU seconds of this process and its dead children."""
    return sum(os.times()[:4])


async def medians(works: dict[str, Work], rounds: int) -> dict[str, tuple[float, float]]:
    """Wall and CPU milliseconds of each, taken in turn after an uncounted round."""
    seen: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
    for number in range(rounds + 1):
        for name, work in works.items():
            wall, cpu = time.perf_counter(), spent()
            await work()
            if number:
                seen[name].append((time.perf_counter() - wall, spent() - cpu))
    return {
        name: (1000 * statistics.median(wall), 1000 * statistics.mean(cpu))
        for name, (wall, cpu) in ((name, zip(*times, strict=True)) for name, times in seen.items())
    }


async def plain_python() -> None:
    argv = [base_interpreter(), "-I", "-S", "-B", "-X", "utf8", "-c", CODE]
    done = subprocess.run(argv, env={}, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    assert done.stdout == b"4950\n"


def running(runner: SubprocessRunner) -> Work:
    async def work() -> None:
        assert (await runner.run(CODE, timeout_seconds=10)).stdout == "4950\n"

    return work


def python_works() -> dict[str, Work]:
    works: dict[str, Work] = {"python -I -S -B": plain_python, "weak": running(SubprocessRunner())}
    isolation = probe("auto")
    walls = walls_for(isolation)
    if walls is not None:
        works[f"bwrap ({isolation.form})"] = running(SubprocessRunner(confinement=walls))
    return works


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    head = f"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {len(PAGE)}\r\n\r\n"
    writer.write(head.encode() + PAGE)
    await writer.drain()
    writer.close()


def fetching(client: httpx.AsyncClient, url: str) -> Work:
    async def work() -> None:
        assert (await client.get(url)).content == PAGE

    return work


async def fetches() -> dict[str, tuple[float, float]]:
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    reach = Reach(ports=frozenset({port}), objection=lambda address: None)
    single = httpx.Limits(max_keepalive_connections=0)
    plain = httpx.AsyncClient(trust_env=False, limits=single)
    guarded = httpx.AsyncClient(transport=OutsideRoad(reach))
    async with server, plain, guarded:
        works = {
            "httpx": fetching(plain, f"http://localhost:{port}/"),
            "guarded": fetching(guarded, f"http://localhost:{port}/"),
        }
        return await medians(works, FETCHES)


def show(title: str, figures: dict[str, tuple[float, float]]) -> None:
    (_, (first, _)), *_ = figures.items()
    rows = [[name, wall, wall - first, wall / first, cpu] for name, (wall, cpu) in figures.items()]
    headers = [title, "wall ms", "more ms", "x first", "CPU ms"]
    print(tabulate(rows, headers, floatfmt=".2f"), end="\n\n")


def main() -> None:
    show("a call of Python", asyncio.run(medians(python_works(), CALLS)))
    show("a page of 20 kB", asyncio.run(fetches()))


if __name__ == "__main__":
    main()
