"""`aar world serve` listens before it says so, and says why it can't."""

import socket

import pytest
from click.testing import CliRunner

from pytest_aar.cli import aar
from pytest_aar.cli.world import listening
from pytest_aar.errors import ConfigurationError


def test_a_socket_takes_connections_at_once() -> None:
    with listening("127.0.0.1", 0) as listener:
        socket.create_connection(listener.getsockname(), timeout=5).close()


def test_a_port_that_is_taken_is_one_clear_line_and_no_address() -> None:
    with listening("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        result = CliRunner().invoke(aar, ["world", "serve", "--port", str(port)])
    assert isinstance(result.exception, ConfigurationError)
    text = str(result.exception)
    assert text.startswith(
        f"can't listen on --host 127.0.0.1 --port {port}: Address already in use"
    )
    assert "Sandbox world at" not in result.output


@pytest.mark.parametrize("host", ["192.0.2.1", "no host", "x" * 70])
def test_a_host_that_is_not_this_machine_is_named(host: str) -> None:
    with pytest.raises(ConfigurationError, match=f"can't listen on --host {host} .*choose another"):
        listening(host, 8750)
