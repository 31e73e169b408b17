"""A run over live services that have limits, killed and resumed: python benchmarks/manners.py LEGS [options]

LEGS is a folder of legs (the published ones, say). Races a sample of them with the golden agent on several workers
against the tests' own internet, whose encyclopedia takes so many requests in a window and so many at once; kills the
run (SIGKILL to all of its processes) when a third of the legs are done, and resumes it. Prints figures as JSON. Exit
code 1: a limit was exceeded, a leg has no score, a finished leg was raced again, or where its golden pages lead
was asked for again (other requests are not compared: several legs may share them).

The window is short so that the run is: 200 in 3 s is Wikimedia's 200 a minute, twenty times as fast.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from fake_internet import (
    KEYS,
    AnswerBook,
    Entry,
    Internet,
    Library,
    Limit,
    Served,
    saved_library,
    serving,
    title_in,
)

from pytest_aar.leg import Leg
from pytest_aar.leg_file import looks_like_leg, read_leg

_SLOWEST = 1200
#: Seconds before the kill: a reply from then may not have been noted yet.
_UNDER_WAY = 1.0


def main() -> int:
    options = _options()
    files = sorted(path for path in options.legs.rglob("*.json") if looks_like_leg(path))
    internet = Internet(
        library=saved_library(options.pages) if options.pages else Library(),
        book=AnswerBook.of(map(read_leg, files)),
        limits={
            "wikipedia": Limit(
                requests=options.requests, window=options.window, parallel=options.parallel
            )
        },
        delay=options.delay,
    )
    with tempfile.TemporaryDirectory() as folder, serving(internet) as served:
        figures = _killed_and_resumed(options, Path(folder), served)
    print(json.dumps(figures, indent=1))
    return int(bool(figures["faults"]))


def _killed_and_resumed(
    options: argparse.Namespace, folder: Path, served: Served
) -> dict[str, Any]:
    _project(options, folder, served)
    log, began = served.internet.log, time.monotonic()
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-n",
        str(options.workers),
    ]
    command += ["legs", f"--aar-sample={options.sample}", "--aar-results=run"]
    _kill_after(_started(command, folder), folder, options.sample // 3)
    killed_at = time.monotonic()
    before, asked = _lines(folder), list(log.entries)
    out = _ended(_started([*command, "--aar-resume"], folder))
    after = _lines(folder)
    gauge = served.internet.gauges["wikipedia"]
    races = {race["leg"]: race for race in after}
    noted = [entry for entry in asked if entry.began < killed_at - _UNDER_WAY]
    again = _titles_asked_again(noted, log.entries[len(asked) :], options.legs)
    figures: dict[str, Any] = {
        "legs": len(races),
        "workers": options.workers,
        "limit": f"{options.requests} in {options.window:g} s, {options.parallel} parallel",
        "seconds": round(time.monotonic() - began, 1),
        "requests": {name: len(log.of(name)) for name in served.internet.gauges},
        "most_in_window": gauge.most_in_window,
        "most_parallel": gauge.most_parallel,
        "refused": gauge.refused,
        "finished_before_the_kill": len(before),
        "waited": [line for line in out.splitlines() if line.startswith("waited ")],
        "waited_seconds": round(sum(sum(race["waited_seconds"].values()) for race in after), 1),
        "outcomes": sorted({race["outcome"] for race in races.values()}),
        "titles_asked_for_again": again,
    }
    return {**figures, "faults": _faults(options, before, after, figures, out)}


def _faults(
    options: argparse.Namespace,
    before: list[dict[str, Any]],
    after: list[dict[str, Any]],
    figures: dict[str, Any],
    out: str,
) -> list[str]:
    found = []
    if figures["most_in_window"] > options.requests or figures["most_parallel"] > options.parallel:
        found.append("a limit was exceeded")
    if figures["refused"]:
        found.append("the server refused requests")
    if figures["legs"] != options.sample or any(race["score"] is None for race in after):
        found.append(f"not every leg has a score: {out[-2000:]}")
    if after[: len(before)] != before or len(after) != options.sample:
        found.append("a finished leg was raced again")
    if figures["titles_asked_for_again"]:
        found.append("where golden pages lead was asked for again")
    if not figures["waited"]:
        found.append("no wait was reported")
    return found


def _titles_asked_again(before: list[Entry], after: list[Entry], legs: Path) -> list[str]:
    """Queries for where a leg's golden pages lead that were asked on both sides of the kill.

    Left out are those of legs that have a twin with the same pages, as the linear and the DAG form of one leg do.
    """
    files = (path for path in legs.rglob("*.json") if looks_like_leg(path))
    alike = Counter(map(_titles_of, map(read_leg, files)))
    known = {entry.question for entry in before if "action=query" in entry.url}
    again = {entry.url for entry in after if entry.question in known}
    return sorted(url for url in again if alike[_titles_in(url)] <= 1)


def _titles_of(leg: Leg) -> frozenset[str]:
    urls = (leg.seed_url, *(stop.page_url or "" for stop in leg.route_infos))
    return frozenset(title_in(url) for url in urls if url)


def _titles_in(url: str) -> frozenset[str]:
    return frozenset(parse_qs(urlsplit(url).query).get("titles", [""])[0].split("|"))


def _project(options: argparse.Namespace, folder: Path, served: Served) -> None:
    shutil.copytree(options.legs, folder / "legs")
    limits = f"{options.requests}/{options.window:g}s, {options.parallel} parallel"
    lines = [
        "[pytest]",
        "aar_agent = golden",
        "aar_world = live",
        "aar_record = once",
        "aar_contact = benchmark@example.org",
        f"aar_limits = wikipedia = {limits}",
        "aar_gate = errors <= 0",
        served.ini,
    ]
    (folder / "pytest.ini").write_text("\n".join(lines))
    (folder / "temporary").mkdir()


def _started(command: list[str], folder: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, **KEYS, "TMPDIR": str(folder / "temporary")}
    environment.pop("PYTEST_ADDOPTS", None)
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True,
    )  # fmt: skip


def _kill_after(run: subprocess.Popen[str], folder: Path, legs: int) -> None:
    """Kill it, with its workers, when so many legs have their line."""
    deadline = time.monotonic() + _SLOWEST
    try:
        while len(_lines(folder)) < legs and run.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
    finally:
        _kill(run)


def _ended(run: subprocess.Popen[str]) -> str:
    """What it printed; where it takes too long, it and its workers are killed."""
    try:
        return run.communicate(timeout=_SLOWEST)[0]
    finally:
        _kill(run)


def _kill(run: subprocess.Popen[str]) -> None:
    """All processes of its session, if it has not ended by itself."""
    if run.poll() is None:
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate()


def _lines(folder: Path) -> list[dict[str, Any]]:
    path = folder / "run" / "results.jsonl"
    if not path.exists():
        return []
    return [
        json.loads(line) for line in path.read_text().splitlines(keepends=True) if line[-1] == "\n"
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("legs", type=Path)
    parser.add_argument("--pages", type=Path, help="saved articles (pages.jsonl.xz)")
    parser.add_argument("--sample", type=int, default=200, help="legs that are raced")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument(
        "--requests", type=int, default=200, help="that the encyclopedia takes in a window"
    )
    parser.add_argument("--window", type=float, default=3.0, help="seconds")
    parser.add_argument("--parallel", type=int, default=3)
    parser.add_argument("--delay", type=float, default=0.02, help="seconds that each answer takes")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
