from pathlib import Path

import pytest

from pytest_aar import prompt
from pytest_aar.errors import ConfigurationError
from pytest_aar.leg import ClueEnvelope

TOOL = prompt.ToolText(
    name="countries_area",
    description="Area of a country.",
    schema={"type": "object", "properties": {"country": {"type": "string"}}},
)


def envelope(budget: int | None = None) -> ClueEnvelope:
    return ClueEnvelope(
        seed_url="https://wiki.aar.test/wiki/Seed",
        clues="1. Where {seed_url} is.\n2. Add {them}.",
        tools=("countries_area",),
        step_budget=budget,
    )


def rendered(**more: object) -> str:
    shared = {"tools": [TOOL], "how_to_call": prompt.BY_COMMAND}
    return prompt.render(envelope(), **{**shared, **more})  # type: ignore[arg-type]


def test_the_prompt_holds_all_that_an_agent_may_know() -> None:
    text = rendered()
    for part in ("https://wiki.aar.test/wiki/Seed", "2. Add {them}.", "answer.txt", "tools.py"):
        assert part in text
    assert '- countries_area: Area of a country. {"properties"' in text


def test_braces_in_clues_are_text() -> None:
    assert "1. Where {seed_url} is." in rendered()


def test_the_budget_is_shown_only_when_enforced() -> None:
    assert "steps" not in rendered()
    text = prompt.render(envelope(12), tools=[TOOL], how_to_call="x")
    assert "at most 12 steps (model calls)" in text


def test_a_template_of_the_users_own_replaces_ours() -> None:
    assert (
        rendered(template="<{clues}> {unknown}")
        == "<1. Where {seed_url} is.\n2. Add {them}.> {unknown}\n"
    )


def test_a_template_without_clues_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "prompt.txt"
    path.write_text("go")
    with pytest.raises(ConfigurationError, match=r"no \{clues\} in it.*\{seed_url\}, \{clues\}"):
        prompt.read_template(path)


def test_a_missing_template_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"nowhere\.txt: .*--aar-prompt"):
        prompt.read_template(tmp_path / "nowhere.txt")
