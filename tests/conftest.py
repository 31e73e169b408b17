"""Fixtures that every test may use."""

from pathlib import Path

import pytest

_REFERENCE = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The reference data beside the checkout: published legs, recorded replies. Not on a user's machine."""
    if not _REFERENCE.is_dir():
        pytest.skip(
            f"no reference data at {_REFERENCE}: this test compares with published material"
        )
    return _REFERENCE
