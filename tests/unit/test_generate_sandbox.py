"""Legs made over the real sandbox world: kept, refused, and asked for by address."""

import asyncio
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from pytest_aar.cli.generate import command
from pytest_aar.errors import ConfigurationError
from pytest_aar.generate.levels import LEVELS
from pytest_aar.generate.sandbox import Made, Wish, make, workshop


def made(out: Path, *, rng_seed: int = 3, seed_url: str | None = None) -> list[Made]:
    wish = Wish(
        variant="linear",
        level=LEVELS["easy"],
        count=1,
        rng_seed=rng_seed,
        out=out,
        seed_url=seed_url,
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
    assert all(line.startswith("rejected ") for line in result.stderr.splitlines())


def test_two_kinds_of_start_are_a_usage_error():
    options = ["--variant", "dag", "--difficulty", "easy", "--seed-url", "x", "--random-seeds"]
    result = CliRunner().invoke(command, options)
    assert result.exit_code == 2
    assert "not both" in result.output
