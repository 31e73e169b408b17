"""The one list of keys: what else names keys agrees with it."""

from pathlib import Path

import pytest

from pytest_aar.manners.policies import DEFAULTS
from pytest_aar.secrets.names import is_secret_name
from pytest_aar.tools import LIVE
from pytest_aar.tools.search import PROVIDERS
from pytest_aar.tools.service_keys import KEY_SOURCES, SEARCH, SERVICE_KEYS, ServiceKey, keys_for

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("key", SERVICE_KEYS, ids=lambda key: key.variable)
def test_a_key_has_a_source_services_and_a_place_in_the_docs(key: ServiceKey) -> None:
    assert key.source.startswith("https://")
    assert all(hasattr(LIVE, name) for name in key.services)
    page = (DOCS / "tools.md").read_text(encoding="utf-8")
    assert [name for name in key.variables if f"`{name}`" not in page] == []


def test_searches_are_preferred_in_the_lists_order() -> None:
    assert [each.variable for each in PROVIDERS] == [each.variable for each in keys_for(SEARCH)]
    assert [(each.endpoint,) for each in PROVIDERS] == [each.services for each in keys_for(SEARCH)]


@pytest.mark.parametrize("key", SERVICE_KEYS, ids=lambda key: key.variable)
def test_keys_are_secret_and_addresses_are_not(key: ServiceKey) -> None:
    assert {is_secret_name(name) for name in key.variables} == {not key.is_address}


def test_limits_name_the_same_keys() -> None:
    assert {known.variable for known in DEFAULTS.values() if known.variable} == set(KEY_SOURCES)
