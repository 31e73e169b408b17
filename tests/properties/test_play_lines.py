"""Whatever a person types is a move or a message: nothing else."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_aar.agents.human.completion import completions
from pytest_aar.agents.human.moves import COMMANDS, Command, ToolMove, parse
from pytest_aar.agents.human.pages import Pager, fitted, harmless, readable
from pytest_aar.agents.human.texts import error_text
from pytest_aar.agents.human.typed import BadLine
from pytest_aar.tools import TOOL_NAMES, schema, tool_named

NAMES = st.sampled_from([*TOOL_NAMES, *COMMANDS])
ARGUMENTS = st.sampled_from(
    sorted({name for tool in TOOL_NAMES for name in schema(tool_named(tool))["properties"]})  # type: ignore[arg-type] # each name is a tool's
)
VALUES = st.one_of(
    st.text(), st.integers().map(str), st.sampled_from(["[1", "{", "'", '"', "true", "a;b", "1,2"])
)
WORDS = st.tuples(ARGUMENTS, VALUES).map("=".join)
CALLS = st.tuples(NAMES, st.lists(st.one_of(WORDS, VALUES)).map(" ".join)).map(" ".join)
LINES = st.one_of(st.text(), CALLS)


@settings(max_examples=300, deadline=None)
@given(LINES)
def test_a_line_is_a_move_or_a_message(line: str) -> None:
    if not line.strip():
        return
    try:
        move = parse(line)
    except BadLine:
        return
    assert isinstance(move, Command | ToolMove)
    if isinstance(move, ToolMove):
        json.dumps(dict(move.arguments))


@settings(max_examples=200, deadline=None)
@given(st.text(), st.text(), st.integers(1, 120), st.integers(1, 60))
def test_what_is_shown_has_no_control_characters_and_loses_no_text(
    text: str, word: str, width: int, height: int
) -> None:
    assert all(char in "\n\t" or char.isprintable() for char in harmless(text))
    lines = fitted(harmless(text), width)
    assert "".join("".join(lines).split()) == "".join(harmless(text).split())
    pager = Pager(width=width, height=height)
    pages = [pager.open(text), *(pager.page(number) for number in range(2, pager.count + 1))]
    assert sum(page.count("\n") + 1 - (pager.count > 1) for page in pages) == len(
        fitted(readable(text), width)
    )
    pager.find(word)
    completions(text, word)
    error_text("t", text)
