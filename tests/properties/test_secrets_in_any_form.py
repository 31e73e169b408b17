"""Whatever a secret looks like, however it is written, wherever in JSON: it is redacted, or found."""

import base64
import html
import json
from typing import Any
from urllib.parse import quote, quote_plus

from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_aar.secrets import REDACTED, Secrets

VALUES = st.text(st.characters(exclude_categories=["Cs"]), min_size=8, max_size=40).filter(
    lambda value: len(value.strip()) >= 8
)
#: Without white space and line breaks of their own.
SOLID = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="\\"), min_size=8)
#: What stands around a form must not spoil it, as a digit beside base64 does.
AROUND = st.sampled_from(["", " ", "key: ", "\n", '"', "=", "(", "é "])


def escaped(text: str, times: int, *, ascii_only: bool) -> str:
    for _ in range(times):
        text = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
    return text


WAYS = st.one_of(
    st.builds(
        lambda times, ascii_only: lambda text: escaped(text, times, ascii_only=ascii_only),
        st.integers(0, 3),
        st.booleans(),
    ),
    st.sampled_from(
        [
            lambda text: quote(text, safe=""),
            quote,
            quote_plus,
            html.escape,
            lambda text: html.escape(text, quote=False),
            lambda text: text.encode().hex(),
            lambda text: text.encode().hex().upper(),
            *(
                lambda text, before=before, code=code: code(before + text.encode()).decode()
                for before in (b"", b"x", b"xy")
                for code in (base64.b64encode, base64.urlsafe_b64encode)
            ),
        ]
    ),
)


def nested(text: str) -> st.SearchStrategy[Any]:
    """JSON with the text somewhere in it, as a value or as a key."""
    return st.recursive(
        st.sampled_from([text, {text: 1}, [text]]),
        lambda inner: st.one_of(
            st.lists(inner, min_size=1, max_size=2),
            st.dictionaries(st.sampled_from(["a", "b"]), inner, min_size=1, max_size=2),
            inner.map(json.dumps).filter(lambda each: len(each) < 400),
        ),
        max_leaves=2,
    )


@settings(max_examples=80, deadline=None)
@given(st.data(), VALUES, WAYS, AROUND, AROUND, st.booleans())
def test_a_secret_in_json_is_redacted_or_found(
    data: st.DataObject, value: str, way: Any, before: str, after: str, ascii_only: bool
) -> None:
    secrets = Secrets.from_values([value])
    written = way(value)
    document = data.draw(nested(f"{before}{written}{after}"))
    text = json.dumps(document, ensure_ascii=ascii_only)
    clean = json.dumps(secrets.clean(document), ensure_ascii=ascii_only)
    redacted = secrets.redact_bytes(text.encode("utf-8", "surrogatepass"))
    for kept in (clean.encode("utf-8", "surrogatepass"), redacted):
        assert REDACTED.encode() in kept or secrets.find(kept)


@settings(max_examples=50, deadline=None)
@given(SOLID, st.integers(1, 7), st.sampled_from(["\n", "\r\n", "\\n", " \n  "]))
def test_a_secret_that_is_broken_over_lines_is_found(value: str, width: int, mark: str) -> None:
    wrapped = mark.join(value[at : at + width] for at in range(0, len(value), width))
    for text in (wrapped, json.dumps({"text": wrapped}), json.dumps(json.dumps([wrapped]))):
        assert Secrets.from_values([value]).find(text.encode())


@settings(max_examples=50, deadline=None)
@given(VALUES, st.integers(1, 7), st.sampled_from(["chat", "responses", "messages"]))
def test_a_secret_in_the_deltas_of_a_stream_is_found(value: str, width: int, wire: str) -> None:
    pieces = [value[at : at + width] for at in range(0, len(value), width)]
    stream = "".join(f"event: x\ndata: {json.dumps(event(wire, each))}\n\n" for each in pieces)
    assert Secrets.from_values([value]).find(b"earlier body" + stream.encode())


def event(wire: str, piece: str) -> dict[str, Any]:
    """One delta of the wire's stream of text."""
    if wire == "chat":
        return {"id": "c1", "choices": [{"index": 0, "delta": {"content": piece}}]}
    if wire == "responses":
        kind = "response.output_text.delta"
        return {"type": kind, "item_id": "i", "output_index": 0, "content_index": 0, "delta": piece}
    delta = {"type": "text_delta", "text": piece}
    return {"type": "content_block_delta", "index": 0, "delta": delta}
