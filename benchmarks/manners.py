"""A run over live services that have limits, killed and resumed: python benchmarks/manners.py LEGS [options]

LEGS is a folder of legs (the published ones, say). Races a sample of them with the golden agent on several workers
against the tests' own internet, whose encyclopedia takes so many requests in a window and so many at once; kills the
run (SIGKILL to all of its processes) when a third of the legs are done, and resumes it. Prints figures as JSON. Exit
code 1: a limit was exceeded, a leg has no score, a finished leg was raced again, a recorded request was asked again,
or an answer was not recorded.

What was recorded is read from the tapes of all legs when the run has been killed, and at the end. After the kill a
request may come once for each leg on whose tape it is new; every further one is a fault, whichever the service. Legs
that share a request share its page, too, so that fewer come than may: of those (`could_hide`) one that is asked again
could pass for the other leg's. Requests of one leg alone have no such slack.

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
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
)

from pytest_aar.cassettes import cassette_file
from pytest_aar.cassettes.canonical import Canonical
from pytest_aar.cassettes.journal import read_journal
from pytest_aar.leg_file import looks_like_leg, read_leg
from pytest_aar.secrets import Secrets

_SLOWEST = 1200
#: Leg -> keys of the requests on its tape.
Tapes = Mapping[str, frozenset[str]]
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
    killed_at = _kill_after(_started(command, folder), folder, options.sample // 3)
    before, asked, recorded = _lines(folder), list(log.entries), _tapes(folder / "cassettes")
    out = _ended(_started([*command, "--aar-resume"], folder))
    after = _lines(folder)
    gauge = served.internet.gauges["wikipedia"]
    races = {race["leg"]: race for race in after}
    compared = compare(
        recorded,
        _tapes(folder / "cassettes"),
        answered=set(_keys([e for e in asked if e.began < killed_at - _UNDER_WAY], served.url)),
        asked_later=_keys(log.entries[len(asked) :], served.url),
    )
    names = dict(
        zip(_keys(log.entries, served.url), (each.url for each in log.entries), strict=True)
    )
    for what in ("asked_again", "never_recorded"):
        compared[what] = [names[key] for key in compared[what]]
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
        **compared,
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
    for what in ("asked_again", "never_recorded", "lost_from_tapes"):
        if figures[what]:
            found.append(f"requests: {what}")
    if figures["requests"]["wikipedia"] > options.requests and not figures["waited"]:
        found.append("no wait was reported")
    return found


def compare(
    before: Tapes, after: Tapes, *, answered: set[str], asked_later: list[str]
) -> dict[str, Any]:
    """How the requests after the kill fit the tapes `before` and `after` it; all by key.

    `answered` are requests whose answers came before the kill, `asked_later` those after it, as often as they came.
    """
    legs, new = _legs_of(after), _legs_of(after)
    new.subtract(_legs_of(before))
    asked = Counter(asked_later)
    on_tapes = set().union(*before.values())
    return {
        "answered_before_the_kill": len(answered),
        "asked_after_the_kill": len(asked_later),
        "of_one_leg": sum(count for key, count in asked.items() if legs[key] == 1),
        "could_hide": sum(1 for key in on_tapes if new[key] > asked[key]),
        "asked_again": sorted(key for key, count in asked.items() if count > new[key]),
        "never_recorded": sorted(answered - on_tapes),
        "lost_from_tapes": sorted(
            leg for leg, keys in before.items() if keys - after.get(leg, frozenset())
        ),
    }


def _legs_of(tapes: Tapes) -> Counter[str]:
    """On how many legs' tapes each request is."""
    return Counter(key for keys in tapes.values() for key in keys)


def _tapes(cassettes: Path) -> dict[str, frozenset[str]]:
    """What each leg's recording of tools holds, finished or interrupted."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in cassettes.rglob("tools.json"):
        found[str(path.parent)].update(
            each.asked.key for each in cassette_file.read(path).interactions
        )
    for path in cassettes.rglob("tools--*.partial"):
        found[str(path.parent)].update(each.asked.key for each in read_journal(path))
    return {leg: frozenset(keys) for leg, keys in found.items()}


def _keys(entries: list[Entry], url: str) -> list[str]:
    """Requests as tapes know them."""
    canonical = Canonical(secrets=Secrets(), tags={})
    return [
        canonical.asked(each.method, url + each.url, each.body, endpoint=None).key
        for each in entries
    ]


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


def _kill_after(run: subprocess.Popen[str], folder: Path, legs: int) -> float:
    """Kill it, with its workers, when so many legs have their line; the time just before, by the monotonic clock."""
    deadline = time.monotonic() + _SLOWEST
    try:
        while len(_lines(folder)) < legs and run.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        return time.monotonic()
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
