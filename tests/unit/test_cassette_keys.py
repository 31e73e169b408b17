"""Canonical keys: what counts of a request, and what does not."""

import json
from typing import Any

import pytest
from recorded_race import CHAT, NO_SECRETS, conversation

from pytest_aar.cassettes.asked import Part
from pytest_aar.cassettes.blobs import Blob
from pytest_aar.cassettes.canonical import Canonical, canonical_url
from pytest_aar.cassettes.conversation import ConversationReader


def key(
    body: Any, *, url: str = "https://a.test/x", endpoint: str | None = CHAT, **tags: str
) -> str:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    canonical = Canonical(secrets=NO_SECRETS, tags={text: tag for tag, text in tags.items()})
    return canonical.asked("POST", url, data, endpoint=endpoint).key


BODY = conversation("s", "u", tools=[{"name": "bash"}], stream=True)


@pytest.mark.parametrize(
    "same",
    [
        pytest.param(dict(reversed(BODY.items())), id="key order"),
        pytest.param(json.dumps(BODY, indent=3).encode(), id="spaces"),
        pytest.param(json.dumps(BODY, ensure_ascii=True).encode(), id="escapes"),
        pytest.param({**BODY, "user": "u1", "metadata": {"a": 1}}, id="user and metadata"),
        pytest.param({**BODY, "prompt_cache_key": "x", "safety_identifier": "y"}, id="cache key"),
        pytest.param(
            {**BODY, "messages": [{**each, "name": None} for each in BODY["messages"]]},
            id="null fields",
        ),
        pytest.param(
            {
                **BODY,
                "messages": [{**each, "cache_control": {"type": "e"}} for each in BODY["messages"]],
            },
            id="cache_control",
        ),
    ],
)
def test_what_does_not_count(same: Any) -> None:
    assert key(same) == key(BODY)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({**BODY, "stream": False}, id="stream"),
        pytest.param({**BODY, "model": "n"}, id="model"),
        pytest.param({**BODY, "temperature": 0}, id="temperature"),
        pytest.param({**BODY, "tools": [{"name": "sh"}]}, id="tools"),
        pytest.param({**BODY, "messages": BODY["messages"][::-1]}, id="message order"),
        pytest.param({**BODY, "messages": BODY["messages"][:-1]}, id="one message less"),
        pytest.param(conversation("s", "u ", tools=BODY["tools"], stream=True), id="one space"),
        pytest.param({}, id="empty"),
        pytest.param(b"not json", id="no JSON"),
        pytest.param(b'{"messages": "text"}', id="messages no array"),
        pytest.param(b"\xff", id="no text"),
        pytest.param(b'{"messages":' + b"[" * 200_000, id="deep"),
    ],
)
def test_what_counts(other: Any) -> None:
    assert key(other) != key(BODY)


def test_a_model_call_has_the_same_key_on_every_host() -> None:
    assert key(BODY, url="http://127.0.0.1:8000/v1") == key(BODY, url="https://api.test/v1")
    assert key(BODY, url="http://h/1", endpoint=None) != key(BODY, url="http://h/2", endpoint=None)


def test_other_protocols_get_canonical_json() -> None:
    endpoint = "other/v1/complete"
    assert key({"a": 1, "b": 2}, endpoint=endpoint) == key({"b": 2, "a": 1}, endpoint=endpoint)
    assert key({"a": 1}, endpoint=endpoint) != key({"a": 2}, endpoint=endpoint)


def test_gateway_and_work_folder_do_not_count() -> None:
    one = conversation("at http://127.0.0.1:4000/r/abc-1_X/tools in /tmp/race-1")
    other = conversation("at http://127.0.0.1:51000/r/zzz/tools in /tmp/race-22")
    assert key(one, work="/tmp/race-1") == key(other, work="/tmp/race-22")
    assert key(one, work="/tmp/race-1") != key(other)


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("https://A.test/p?b=2&a=1", "https://a.test/p?a=1&b=2"),
        ("https://a.test/?Berlin", "https://a.test/?Berlin="),
        ("https://a.test/?x=&y", "https://a.test/?x=&y="),
        ("https://a.test/?a=2&a=1", "https://a.test/?a=1&a=2"),
        ("https://a.test/?KEY=s&q=1&api_key=s&appid=s", "https://a.test/?q=1"),
        ("https://user:pass@a.test:8443/x#part", "https://a.test:8443/x"),
        ("http://[::1]:80/x", "http://[::1]:80/x"),
        ("https://a.test/%C3%A9?q=a%20b", "https://a.test/%C3%A9?q=a+b"),
    ],
)
def test_canonical_urls(url: str, canonical: str) -> None:
    assert canonical_url(url) == canonical


class TestReader:
    """The reader that takes over the messages of the body before."""

    def reader(self) -> tuple[ConversationReader, list[Any]]:
        parsed: list[Any] = []

        def part(message: Any) -> Part:
            parsed.append(message)
            return Part("", Blob.of(json.dumps(message).encode()))

        return ConversationReader("messages", part), parsed

    def test_a_growing_conversation_is_parsed_once(self) -> None:
        reader, parsed = self.reader()
        for count in range(1, 6):
            body = {"model": "m", "messages": [{"n": n} for n in range(count)], "stream": True}
            head, parts = reader.read(json.dumps(body))
            assert head == {"model": "m", "stream": True}
            assert [json.loads(each.blob.read()) for each in parts] == body["messages"]
        assert parsed == [{"n": n} for n in range(5)]

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ('{"messages":[1]}', '{"messages":[12]}'),
            ('{"messages":[{"a":1},{"b":2}]}', '{"messages":[{"a":1}]}'),
            ('{"messages":[{"a":1}]}', '{"messages":[{"a":1}],"x":1}'),
            ('{"messages":[{"a":1}],"x":1}', '{"messages":[{"a":1}]}'),
            ('{"x":1,"messages":[{"a":1}]}', '{"x":2,"messages":[{"a":1}]}'),
            ('{"messages":[{"a":1}]}', '{"messages":[]}'),
            ('{"messages":[]}', '{"messages":[ {"a":1} ] }'),
            ('{"messages":[{"a":1}]}', '{"model":"m"}'),
        ],
    )
    def test_it_reads_what_json_reads(self, first: str, second: str) -> None:
        reader, _ = self.reader()
        for text in (first, second, first, second):
            head, parts = reader.read(text)
            whole = json.loads(text)
            assert [json.loads(each.blob.read()) for each in parts] == whole.pop("messages", [])
            assert head == whole

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "[]",
            "{",
            '{"messages":{}}',
            '{"messages":[1,]}',
            '{"messages":[1 2]}',
            '{"messages":[1]',
            '{"messages":[1]} x',
            '{"messages":[1],"messages":[2]}',
            '{"a" 1}',
        ],
    )
    def test_anything_else_is_a_value_error(self, text: str) -> None:
        reader, _ = self.reader()
        reader.read('{"messages":[1,3]}')
        with pytest.raises(ValueError, match=r"."):
            reader.read(text)
