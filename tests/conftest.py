"""Fixtures that every test may use."""

from pathlib import Path

# A pytest run inside this process takes the modules that it imported with it when it ends. httpx, which
# stays, would then map the exceptions of an httpcore that is no longer the one it calls.
import httpcore  # noqa: F401 - loaded for good
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
