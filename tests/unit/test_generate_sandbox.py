"""Legs made over the real sandbox world: kept, refused, and asked for by address."""

import asyncio
import json
import multiprocessing
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from pytest_aar.cli import generate_run
from pytest_aar.cli.generate import command
from pytest_aar.errors import ConfigurationError
from pytest_aar.generate.hands import many_hands
from pytest_aar.generate.levels import LEVELS
from pytest_aar.generate.making import Made, make
from pytest_aar.generate.order import Wish
from pytest_aar.generate.sandbox import workshop


def made(
    out: Path, *, rng_seed: int = 3, seed_url: str | None = None, smoke: int = 0
) -> list[Made]:
    wish = Wish(
        variant="linear",
        level=LEVELS["easy"],
        count=1,
        rng_seed=rng_seed,
        out=out,
        seed_urls=(seed_url,) if seed_url else (),
        smoke=smoke,
    )

    async def run() -> list[Made]:
        async with workshop() as shop:
            return [each async for each in make(wish, shop)]

    return asyncio.run(run())


def test_a_leg_that_is_there_is_kept_and_one_of_another_seed_is_refused(tmp_path: Path):
    (first,) = made(tmp_path)
    assert not first.kept
    assert first.path == tmp_path / "linear/easy/001.json"
    (again,) = made(tmp_path)
    assert again.kept
    assert again.leg.trail_id == first.leg.trail_id
    with pytest.raises(ConfigurationError, match=r"making: --rng-seed is 3 there, 4 wanted\. Move"):
        made(tmp_path, rng_seed=4)
    with pytest.raises(
        ConfigurationError, match=r"--seed-url is none there, \S+/Peru wanted\. Move"
    ):
        made(tmp_path, seed_url="https://wiki.aar.test/wiki/Peru")
    with pytest.raises(
        ConfigurationError, match=r"--smoke is unmarked there, marked wanted\. Move"
    ):
        made(tmp_path, smoke=1)


def test_a_leg_starts_where_it_is_told_to(tmp_path: Path):
    url = "https://wiki.aar.test/wiki/Peru"
    (each,) = made(tmp_path, seed_url=url)
    assert each.leg.seed_url == url
    assert each.leg.route_infos[0].page_url == url
    (again,) = made(tmp_path, seed_url=url)
    assert again.kept
    with pytest.raises(ConfigurationError, match=r"--seed-url is \S+/Peru there, \S+/Chile wanted"):
        made(tmp_path, seed_url="https://wiki.aar.test/wiki/Chile")
    with pytest.raises(ConfigurationError, match=r"--seed-url is \S+/Peru there, none wanted"):
        made(tmp_path)


@pytest.mark.parametrize(
    "url",
    [
        "https://en.wikipedia.org/wiki/Peru",
        "https://wiki.aar.test/Peru",
        "Peru",
        "https://[x/wiki/",
    ],
)
def test_a_start_elsewhere_is_refused_with_the_form_of_the_worlds_addresses(
    tmp_path: Path, url: str
):
    with pytest.raises(ConfigurationError, match=r"pages are https://wiki\.aar\.test/wiki/TITLE"):
        made(tmp_path, seed_url=url)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match=r"can't write .*001\.json: .*another --out"):
        made(tmp_path / "file")


def test_an_unknown_start_is_refused_with_an_example(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="no page 'Atlantis' to start on; give an address"):
        made(tmp_path, seed_url="https://wiki.aar.test/wiki/Atlantis")


def test_the_command_writes_legs_and_says_what_they_are(tmp_path: Path):
    options = ["--variant", "linear", "--difficulty", "easy", "--rng-seed", "3"]
    result = CliRunner().invoke(command, [*options, "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    path = tmp_path / "linear/easy/001.json"
    leg = json.loads(path.read_text())
    assert f"{path}: {len(leg['stops'])} stops, digit {leg['passcode']}" in result.output
    assert all(line.startswith(("rejected ", "yield ")) for line in result.stderr.splitlines())


def test_two_kinds_of_start_are_a_usage_error():
    options = ["--variant", "dag", "--difficulty", "easy", "--seed-url", "x", "--random-seeds"]
    result = CliRunner().invoke(command, options)
    assert result.exit_code == 2
    assert "not both" in result.output


def test_processes_make_the_bytes_that_one_makes_and_go_on_where_a_run_was(tmp_path: Path):
    options = [
        "--variant",
        "linear",
        "--difficulty",
        "easy",
        "-n",
        "4",
        "--rng-seed",
        "5",
        "--smoke",
        "2",
    ]
    bytes_of = {}
    for jobs in ("1", "2"):
        out = tmp_path / jobs
        result = CliRunner().invoke(command, [*options, "--out", str(out), "--jobs", jobs])
        assert result.exit_code == 0, result.output
        assert "pages shared by two legs: " in result.stderr
        bytes_of[jobs] = {path.name: path.read_bytes() for path in sorted(out.rglob("*.json"))}
    assert len(bytes_of["1"]) == 4
    assert bytes_of["1"] == bytes_of["2"]
    marked = [json.loads(leg)["metadata"].get("smoke") for leg in bytes_of["1"].values()]
    assert marked == [True, True, None, None]
    (tmp_path / "1/linear/easy/002.json").unlink()
    again = CliRunner().invoke(command, [*options, "--out", str(tmp_path / "1"), "--jobs", "1"])
    assert again.stdout.count("(kept)") == 3
    assert {p.name: p.read_bytes() for p in (tmp_path / "1").rglob("*.json")} == bytes_of["1"]


def test_legs_start_on_the_pages_of_a_file_in_turn(tmp_path: Path):
    urls = [f"https://wiki.aar.test/wiki/{title}" for title in ("Peru", "Chile")]
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("# two countries\n" + "\n".join(urls))
    options = ["--variant", "linear", "--difficulty", "easy", "-n", "2", "--out", str(tmp_path)]
    result = CliRunner().invoke(command, [*options, "--seed-file", str(seeds)])
    assert result.exit_code == 0, result.output
    files = sorted((tmp_path / "linear/easy").iterdir())
    assert [json.loads(path.read_text())["seed_url"] for path in files] == urls
    seeds.write_text("# none")
    empty = CliRunner().invoke(command, [*options, "--seed-file", str(seeds)])
    assert "no address there; one a line" in str(empty.exception)
    seeds.write_bytes("https://wiki.aar.test/wiki/Perú".encode("latin-1"))
    for wrong, told in ((seeds, "can't decode byte 0xfa"), (tmp_path / "no", "No such file")):
        found = CliRunner().invoke(command, [*options, "--seed-file", str(wrong)]).exception
        assert isinstance(found, ConfigurationError)
        assert str(found).startswith(f"--seed-file {wrong}: ")
        assert told in str(found)
        assert str(found).endswith("; give a text file (UTF-8) with one address a line")


@pytest.mark.parametrize(
    ("option", "value"),
    [("--services", "foo"), ("--limits", "wikipedia=often"), ("--wiki-at", "2026-03-20")],
)
def test_options_of_live_services_are_refused_here_and_nothing_is_made(
    tmp_path: Path, option: str, value: str
):
    asked = ["--variant", "linear", "--difficulty", "easy", "--out", str(tmp_path)]
    found = CliRunner().invoke(command, [*asked, option, value])
    assert isinstance(found.exception, ConfigurationError)
    assert str(found.exception) == (
        f"{option}: {value!r} is about the live services, and --world is sandbox: add --world live"
    )
    assert not any(tmp_path.iterdir())


def test_an_unknown_level_is_refused_with_those_that_there_are():
    result = CliRunner().invoke(command, ["--variant", "dag", "--difficulty", "mild"])
    assert result.exit_code == 2
    assert "'mild' is no level; valid: easy, medium, hard, extreme" in result.output


def test_legs_differ_from_those_of_other_levels_in_the_folder(tmp_path: Path):
    options = ["--difficulty", "easy", "--rng-seed", "3", "--variant", "linear", "--out"]
    assert CliRunner().invoke(command, [*options, str(tmp_path)]).exit_code == 0
    path = tmp_path / "linear/easy/001.json"
    first = path.read_bytes()
    other = tmp_path / "dag/easy/001.json"
    other.parent.mkdir(parents=True)
    path.rename(other)  # as if the other variant held the very leg
    result = CliRunner().invoke(command, [*options, str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "rejected 1 x set: pages too much like another leg's" in result.stderr
    assert path.read_bytes() != first


def test_a_wrong_line_of_the_file_is_named(tmp_path: Path):
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("# a country\nhttps://wiki.aar.test/wiki/Peru\nChile\n")
    options = ["--variant", "linear", "--difficulty", "easy", "--seed-file", str(seeds)]
    error = CliRunner().invoke(command, options).exception
    assert isinstance(error, ConfigurationError)
    assert str(error).startswith(f"--seed-file {seeds}, line 3: Chile: legs are made over")


def test_legs_are_told_although_the_run_is_broken_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (first,) = made(tmp_path)

    async def broken_off(*_: object, **__: object) -> AsyncIterator[Made]:
        yield first
        raise KeyboardInterrupt

    monkeypatch.setattr(generate_run, "make", broken_off)
    options = ["--variant", "linear", "--difficulty", "easy", "--out", str(tmp_path)]
    result = CliRunner().invoke(command, options)
    assert result.exit_code == 1
    assert f"{first.path}: {len(first.leg.stops)} stops" in result.stdout


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no masks of signals here")
def test_processes_that_are_starting_do_not_hear_an_interrupt():
    async def run() -> None:
        async with many_hands(1) as hands:
            begun = hands.begin(None, 1, 0)  # type: ignore[arg-type]  # fails once it runs
            (process,) = multiprocessing.active_children()
            os.kill(process.pid or 0, signal.SIGINT)
            await begun

    with pytest.raises(AttributeError):  # the task's own error, not a broken pool
        asyncio.run(run())
