"""A leg and the world that was chosen for it."""

from pathlib import Path

import pytest
from handmade_legs import leg, linear

from pytest_aar.errors import ConfigurationError
from pytest_aar.gateway import Gateway
from pytest_aar.settings import Settings

WEB = "https://en.wikipedia.org/wiki/Oslo"


def test_a_leg_of_the_web_has_no_page_in_the_sandbox(tmp_path: Path) -> None:
    with Gateway(Settings(world="sandbox"), meeting=tmp_path) as gateway:
        with pytest.raises(
            ConfigurationError,
            match=rf"starts at {WEB}, and the sandbox world has wiki\.aar\.test alone: race it with --aar-world=live",
        ):
            gateway.world_hash(leg(linear() | {"seed_url": WEB}))
        assert gateway.world_hash(leg(linear())) is not None


def test_a_leg_of_the_sandbox_is_in_no_zim_file_be_it_here_or_not(tmp_path: Path) -> None:
    with (
        Gateway(Settings(world=f"zim:{tmp_path}/none.zim"), meeting=tmp_path) as gateway,
        pytest.raises(
            ConfigurationError, match=r"wiki\.aar\.test/.*, which no ZIM file holds: race it with"
        ),
    ):
        gateway.world_hash(leg(linear()))
