import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_aar.gateway.bodies import Bodies

MESSAGES = st.lists(
    st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=2), max_size=4
)


def encoded(messages: object, **more: object) -> bytes:
    return json.dumps({**more, "messages": messages}, separators=(",", ":")).encode()


@given(first=MESSAGES, more=MESSAGES, other=MESSAGES)
def test_it_reads_what_json_reads(
    first: list[object], more: list[object], other: list[object]
) -> None:
    bodies = Bodies()
    for data in (encoded(first), encoded(first + more), encoded(other), encoded(first, model="m")):
        assert bodies.parse(data) == json.loads(data)


def test_known_messages_are_not_parsed_again() -> None:
    bodies = Bodies()
    first = bodies.parse(encoded([{"a": 1}], model="m"))
    second = bodies.parse(encoded([{"a": 1}, {"b": 2}], model="m"))
    assert second == {"model": "m", "messages": [{"a": 1}, {"b": 2}]}
    assert second["messages"][0] is first["messages"][0]
    assert first["messages"] == [{"a": 1}]


@pytest.mark.parametrize(
    "tail", [b',{"b":2}],"x":[1]}', b',{"b":2}', b',{"b":2}]}}', b",]}", b'{"b":2}]}', b",1],[2]}"]
)
def test_odd_ends_are_read_whole(tail: bytes) -> None:
    bodies = Bodies()
    first = encoded([{"a": 1}])
    bodies.parse(first)
    data = first[:-2] + tail
    try:
        expected = json.loads(data)
    except ValueError:
        with pytest.raises(ValueError, match=r"."):
            bodies.parse(data)
    else:
        assert bodies.parse(data) == expected
