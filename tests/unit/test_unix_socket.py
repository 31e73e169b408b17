"""The gateway's unix socket: the road of boxes that have no network."""

import os
import socket
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from little_world import gateway, order

from pytest_aar.errors import ConfigurationError
from pytest_aar.gateway import Gateway, RaceSession


@pytest.fixture
def gate() -> Iterator[Gateway]:
    with gateway() as opened:
        yield opened


@pytest.fixture
def race(gate: Gateway) -> Iterator[RaceSession]:
    with gate.open_race(order()) as opened:
        yield opened


def asked(race: RaceSession) -> httpx.Response:
    road = httpx.HTTPTransport(uds=str(race.socket()))
    with httpx.Client(transport=road, trust_env=False) as client:
        url = f"http://gateway/r/{race.token}/tools/countries_area"
        return client.post(url, json={"country": "Norland"})


def test_the_same_routes_over_the_socket(race: RaceSession) -> None:
    assert asked(race).json()["area_km2"] == 567
    assert len(race.trace().tool_calls) == 1


def test_one_socket_for_all_races_of_a_worker(gate: Gateway, race: RaceSession) -> None:
    with gate.open_race(order()) as other:
        assert other.socket() == race.socket()
        assert asked(other).status_code == 200
    assert asked(other).status_code == 404


def test_it_is_short_and_open_to_who_knows_its_name(race: RaceSession) -> None:
    path = race.socket()
    assert len(os.fsencode(path)) <= 107
    assert stat.S_IMODE(path.stat().st_mode) == 0o666
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o711


def test_another_user_can_connect(race: RaceSession) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can become another user")
    line = f"import socket; socket.socket(socket.AF_UNIX).connect({str(race.socket())!r})"
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    done = subprocess.run([*as_nobody, "/usr/bin/python3", "-c", line], check=False, timeout=30)
    assert done.returncode == 0


def test_nothing_is_left_of_it() -> None:
    with gateway() as gate, gate.open_race(order()) as race:
        path = race.socket()
        assert asked(race).status_code == 200
    assert not path.parent.exists()


def test_asked_for_and_never_used_it_goes_all_the_same() -> None:
    with gateway() as gate, gate.open_race(order()) as race:
        path = race.socket()
    assert not path.parent.exists()


def test_a_long_temporary_directory_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("x" * 100)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    with gateway() as gate, gate.open_race(order()) as race:
        assert race.socket().parents[1] == Path("/tmp")
        assert asked(race).status_code == 200


def test_no_place_for_it_says_what_to_do(tmp_path: Path) -> None:
    from pytest_aar.gateway.server import _short_folder  # noqa: PLC0415 - the message alone

    # short, wherever the test's own folder is
    places = (str(tmp_path / ("x" * 100)), "/no-such-folder")
    with pytest.raises(ConfigurationError, match="set TMPDIR to a short, writable folder") as info:
        _short_folder(places, ExitStack())
    assert "too long for the path of a unix socket" in str(info.value)
    assert "No such file or directory" in str(info.value)


def test_a_killed_workers_leftover_is_in_nobodys_way(race: RaceSession, gate: Gateway) -> None:
    leftover = Path(tempfile.mkdtemp(prefix="aar-")) / "old.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(leftover))
    assert race.socket().parent != leftover.parent
    assert asked(race).status_code == 200
    leftover.unlink()
    leftover.parent.rmdir()
