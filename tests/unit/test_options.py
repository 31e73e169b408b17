from datetime import UTC, datetime
from pathlib import Path

import pytest

from pytest_aar import plugin
from pytest_aar.agents import AGENT_NAMES
from pytest_aar.errors import ConfigurationError
from pytest_aar.leg import templates
from pytest_aar.option_values import Given
from pytest_aar.options import OPTIONS, settings_from, table
from pytest_aar.settings import SERVICES, Settings
from pytest_aar.tools import LIVE

DOCS = Path(__file__).parents[2] / "docs" / "options.md"
HERE = Path("/somewhere")


def given(text: str) -> Given:
    return Given(text=text, source="--aar-x", folder=HERE)


def test_the_table_in_the_docs_is_the_table_in_the_code() -> None:
    assert table() in DOCS.read_text(encoding="utf-8")


def test_names_are_unique_and_fit_ini() -> None:
    assert len({option.ini for option in OPTIONS}) == len(OPTIONS)
    assert all(option.ini.startswith("aar_") and "-" not in option.ini for option in OPTIONS)


def test_every_setting_has_its_option() -> None:
    assert {option.setting for option in OPTIONS} == set(Settings.__slots__)


def test_the_services_are_those_of_the_endpoints() -> None:
    for name in SERVICES:
        assert LIVE.with_overrides({name: "https://x.test"}) != LIVE
    with pytest.raises(ConfigurationError, match=f"valid: {', '.join(SERVICES)}$"):
        LIVE.with_overrides({"mapz": "https://x.test"})


def test_defaults_in_the_table_are_the_defaults_of_the_settings() -> None:
    shown = {
        option.name: (given(option.default),)
        for option in OPTIONS
        if option.default and "<" not in option.default
    }
    settings, default = settings_from(shown), Settings()
    for option in OPTIONS:
        if option.name in shown and option.name not in ("legs", "cassettes"):
            assert getattr(settings, option.setting) == getattr(default, option.setting), option
    assert settings.legs_root == HERE / "legs"
    assert settings.cassettes == HERE / "cassettes"


@pytest.mark.parametrize(
    ("name", "text", "valid"),
    [
        ("record", "new_episodes", "none, once, all, off, tools, diverged"),
        ("world", "moon", "auto, sandbox, live"),
        ("variant", "ring", "linear, dag"),
        ("repeat", "0", "whole numbers from 1"),
        ("repeat", "two", "whole numbers from 1"),
        ("timeout", "nan", "seconds above 0"),
        ("error-threshold", "1.5", "a number from 0 to 1"),
        ("max-steps", "-3", "budget, 3K, none, or a number"),
        ("agent-option", "verbose", "key=value"),
        ("strict-replay", "maybe", "true, false"),
        ("junit-properties", "suite", "testcase, system-out, none"),
        ("python-tool", "sometimes", "on, off"),
        ("services", "weather", "SERVICE=URL with one of the services wikipedia, "),
        ("services", "weather=mirror.test", "weather=https://HOST/"),
        ("services", "weather=https://[", "weather=https://HOST/"),
        ("services", "weather=https://me:pass@mirror.test", "without a user name"),
    ],
)
def test_a_bad_value_names_the_option_and_what_is_valid(name: str, text: str, valid: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        settings_from({name: (given(text),)})
    message = str(caught.value)
    assert message.startswith("--aar-x")
    assert repr(text) in message
    assert valid in message


def test_pairs_and_lists_are_gathered() -> None:
    settings = settings_from(
        {
            "agent-option": (given("a=1"), given("b = x=y")),
            "gate": (given("fa >= 0.3"), given("errors <= 1")),
            "results": (given("out"),),
        }
    )
    assert settings.agent_options == {"a": "1", "b": "x=y"}
    assert settings.gate == ("fa >= 0.3", "errors <= 1")
    assert settings.results == HERE / "out"


def test_a_service_that_is_none_names_the_option_and_the_services() -> None:
    with pytest.raises(
        ConfigurationError,
        match=r"--aar-x: 'mapz' is no service \(did you mean maps\?\); valid: wiki.*maps.* as in wiki",
    ):
        settings_from({"services": (given("mapz = https://x.test"),)})


def test_services_and_the_python_tool_fill_the_settings() -> None:
    lines = ("wikipedia = https://w.test/api.php", "maps=http://127.0.0.1:9/maps")
    settings = settings_from({"services": tuple(map(given, lines)), "python-tool": (given("off"),)})
    assert settings.services == {
        "wikipedia": "https://w.test/api.php",
        "maps": "http://127.0.0.1:9/maps",
    }
    assert settings.python_tool is False


def test_the_registered_template_marks_are_the_templates() -> None:
    names = {item.name for item in templates.TEMPLATES} | {templates.MERGE, templates.UNKNOWN}
    assert set(plugin.TEMPLATES) == names


def test_the_option_for_the_agent_names_all_of_them() -> None:
    (agent,) = (option for option in OPTIONS if option.name == "agent")
    assert all(f"{name}," in agent.help for name in AGENT_NAMES)


def test_an_ini_file_that_says_two_things_of_a_service_is_refused() -> None:
    def twice(name: str, source: str, *texts: str) -> Settings:
        each = (Given(text=text, source=source, folder=HERE) for text in texts)
        return settings_from({name: tuple(each)})

    urls = ("wikipedia=https://a.test", "wikipedia=https://b.test")
    assert twice("services", "--aar-services", *urls).services == {"wikipedia": "https://b.test"}
    with pytest.raises(
        ConfigurationError,
        match=r"^ini option aar_services: 'wikipedia' is there twice, as 'https://a\.test' and as 'https://b\.test'",
    ):
        twice("services", "ini option aar_services", *urls)
    with pytest.raises(ConfigurationError, match=r"^ini option aar_limits: 'maps' is there twice"):
        twice("limits", "ini option aar_limits", "maps=1/s", "maps=2/s")


def test_articles_can_only_be_read_as_they_were() -> None:
    def asked(text: str) -> Settings:
        return settings_from({"wiki-at": (given(text),)})

    today = datetime.now(UTC).date().isoformat()
    assert asked(today).wiki_at == f"{today}T23:59:59Z"
    for text in ("2099-01-01", "2099-01-01T00:00:00Z"):
        with pytest.raises(
            ConfigurationError,
            match=rf"^--aar-x: '{text}' is still to come, .* it is 2\d{{3}}-.*up to now$",
        ):
            asked(text)
