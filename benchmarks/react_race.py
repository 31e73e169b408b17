"""CPU of a whole race by `react` + pacer + sandbox world, against inspect_ai with its mock model.

`python benchmarks/react_race.py PEER_PYTHON`: the interpreter of an environment with inspect-ai 0.3.285.
Both make 20 tool calls that return the same bytes: 10 page fetches of about 2 kB of text, 6 calls of the maps,
4 of the countries. Ours is the complete path: gateway, tools, world, trace written and synced, score. Each
figure is the slope between few and many races of one process, so start-up does not count for either.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from pytest_aar.gateway.worlds import open_world
from pytest_aar.leg import (
    ChainStep,
    Difficulty,
    FinishLine,
    Leg,
    Roadblock,
    RouteInfo,
)
from pytest_aar.race import Track
from pytest_aar.settings import Settings
from pytest_aar.tools import call
from pytest_aar.world import SEED_HOST, load

PAGES, MAPS, COUNTRIES = 10, 3, ("France", "Japan", "Peru", "Kenya")
FEW, MANY = 5, 45


def _url(title: str) -> str:
    return f"https://{SEED_HOST}/wiki/{title.replace(' ', '_')}"


async def small_pages() -> list[str]:
    """The first ten pages whose text has about 2 kB."""
    found: list[str] = []
    async with open_world("sandbox", Settings()) as opened:
        for title in load().pages():
            result = await call("fetch_webpage", {"url": _url(title)}, opened.services)
            if result.ok and 1_800 <= len(result.text) <= 2_300:
                found.append(title)
            if len(found) == PAGES:
                break
    return found


def leg_over(titles: list[str]) -> Leg:
    """Ten route infos, three elevations (two map calls each), four country look-ups, a finish line."""
    stops: list[RouteInfo | Roadblock | FinishLine] = []

    def roadblock(*chain: ChainStep) -> None:
        stops.append(
            Roadblock(
                index=len(stops),
                value=1,
                value_type="number",
                page_url=_url(titles[0]),
                target="Look up a figure",
                chain=chain,
            )
        )

    for title in titles:
        stops.append(
            RouteInfo(
                index=len(stops),
                value=1,
                value_type="number",
                page_url=_url(title),
                target="a figure",
                transition="link_follow",
            )
        )
    for country in COUNTRIES[:MAPS]:
        roadblock(
            ChainStep(tool="maps_geocode", arguments={"address": country}, output_key="coords"),
            ChainStep(
                tool="maps_elevation",
                arguments={"__from_previous_as_locations": "coords"},
                output_key="elevation",
            ),
        )
    for country in COUNTRIES:
        roadblock(
            ChainStep(
                tool="countries_population", arguments={"country": country}, output_key="population"
            )
        )
    stops.append(
        FinishLine(
            index=len(stops),
            value=7,
            value_type="number",
            page_url=None,
            target="Compute: (1 + 6) % 10",
            expression="(1 + 6) % 10",
            operands=(),
        )
    )
    return Leg(
        leg_id="bench/0",
        variant="linear",
        level="hard",
        sha256="0" * 64,
        trail_id="bench",
        seed_url=_url(titles[0]),
        seed_title=titles[0],
        stops=tuple(stops),
        digit=7,
        difficulty=Difficulty(level="hard"),
        clues="1. Fetch the pages, call the tools, answer.",
        metadata={},
        generated_at="2026-01-01T00:00:00+00:00",
    )


def ours(leg: Leg) -> tuple[float, list[str]]:
    """CPU seconds per race, and what the tools said."""
    settings = Settings(agent="react", model="pacer", record="off")
    with tempfile.TemporaryDirectory() as folder:
        track = Track(settings, Path(folder))
        agent = track.agent()
        for number in range(FEW + MANY):
            if number == FEW:
                started = time.process_time()
            race = track.race(replace(leg, leg_id=f"bench/{number}"), agent)
            if race.score is None or race.score.fa != 1 or race.score.tool_calls != 20:
                sys.exit(f"the race went wrong: {race.problem or race.score}")
        spent = time.process_time() - started
        track.close()
    texts = [one.text for one in race.trace.tool_calls]
    return spent / MANY, texts


def peer(python: str, texts: list[str]) -> float:
    """CPU seconds per sample of the peer."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(texts, file)
        file.flush()
        script = str(Path(__file__).with_name("peer_inspect.py"))
        spent = []
        for samples in (FEW, FEW + MANY):
            out = subprocess.run(
                [python, script, file.name, str(samples)],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            spent.append(json.loads(out.splitlines()[-1])["cpu_seconds"])
    return (spent[1] - spent[0]) / MANY


def main(peer_python: str) -> None:
    leg = leg_over(asyncio.run(small_pages()))
    mine, texts = ours(leg)
    theirs = peer(peer_python, texts)
    print(f"bytes returned by the 20 tool calls: {sum(len(text.encode()) for text in texts)}")
    print(f"pytest-aar, react + pacer + sandbox: {1000 * mine:.1f} ms CPU a race")
    print(f"inspect_ai, mock model:              {1000 * theirs:.1f} ms CPU a sample")
    print(f"ratio: {mine / theirs:.2f} (target: at most 0.33)")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
