"""Secrets: which values count, in which forms they are found, which shapes refuse a write."""

import base64
import html
import json
from urllib.parse import quote, quote_plus

import pytest

from pytest_aar.secrets import REDACTED, Secrets, secret_values

VALUE = 'p@ss/w"ord <1>&é'


@pytest.mark.parametrize(
    "name",
    [
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "client_secret",
        "DB_PASSWORD",
        "PGPASSWD",
        "BASIC_AUTH",
        "AUTHORIZATION",
        "AuthHeader",
    ],
)
def test_names_that_say_secret(name: str) -> None:
    found = secret_values({name: "abcdefgh1", "HOME": "/root/home"})
    assert found == {"abcdefgh1": f"the value of {name}"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SSH_AUTH_SOCK", "/tmp/ssh-1/agent"),
        ("XAUTHORITY", "/root/.Xauthority"),
        ("OPENAI_API_KEY", "sk-fake"),
        ("DB_PASSWORD", "password"),
        ("MAX_TOKENS", "4096"),
        ("GIT_AUTHOR_NAME", "Jane Smith"),
        ("KEYBOARD_LAYOUT", "de-latin1"),
        ("SSL_KEYFILE", "/etc/ssl/private"),
    ],
)
def test_values_that_would_only_spoil_honest_text(name: str, value: str) -> None:
    assert secret_values({name: value}) == {}


@pytest.mark.parametrize(
    "form",
    [
        VALUE,
        json.dumps(VALUE)[1:-1],
        json.dumps(VALUE, ensure_ascii=False)[1:-1],
        quote(VALUE, safe=""),
        quote_plus(VALUE),
        html.escape(VALUE),
        VALUE.encode().hex(),
        VALUE.encode().hex().upper(),
    ],
)
def test_every_form_is_redacted_and_found(form: str) -> None:
    secrets = Secrets.from_values([VALUE])
    assert secrets.redact(f"a {form} b") == f"a {REDACTED} b"
    assert secrets.redact_bytes(f"a {form} b".encode()) == f"a {REDACTED} b".encode()
    assert secrets.find(f"a {form} b".encode()) == ("the value of a secret",)


@pytest.mark.parametrize("before", ["", "u", "us", "usr", "user:"])
@pytest.mark.parametrize("after", ["", "x", "xy"])
def test_base64_is_found_at_every_offset(before: str, after: str) -> None:
    encoded = base64.b64encode((before + VALUE + after).encode())
    assert Secrets.from_values([VALUE]).find(b"Basic " + encoded)


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("sk-" + "a1" * 24, "API key (sk-)"),
        ("sk-ant-api03-" + "a_-1" * 20, "API key (sk-)"),
        ("sk-proj-" + "aB3_" * 20, "API key (sk-)"),
        ("AIza" + "b" * 35, "Google API key"),
        ("ya29." + "c" * 30, "Google OAuth token"),
        ("ghp_" + "d" * 36, "GitHub token"),
        ("github_pat_" + "e" * 30, "GitHub token"),
        ("eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl", "JSON web token"),
        ("Authorization: Bearer abc123def456ghi789jkl0", "bearer token"),
        ("https://root:hunter2@db.internal/x", "password in a URL"),
    ],
)
def test_shapes_of_keys(text: str, shape: str) -> None:
    for around in ("{}", '"{}"', "see {} here", "ask-me sk- eyJ {}"):
        assert Secrets().find(around.format(text).encode()) == (shape,)


@pytest.mark.parametrize(
    "text",
    [
        "task-" + "a" * 40,
        "sk-toolbar-item-one",
        "Bearer <token>",
        "Bearer tokens are described in many documents",
        "https://user:password@example.com/",
        "https://user:password@www.example.org/",
        "https://en.wikipedia.org/wiki/File:A@b.jpg",
        "mailto:a@b.test, https://w.test:8080/@home",
        base64.b64encode(bytes(range(256)) * 40).decode(),
    ],
)
def test_honest_text_is_no_secret(text: str) -> None:
    assert Secrets().find(text.encode()) == ()


def test_what_was_found_is_never_repeated() -> None:
    secrets = Secrets.from_values(["hunter2-hunter2"])
    assert "hunter2" not in " ".join(secrets.find(b"hunter2-hunter2"))


def test_the_environment_is_read_when_none_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "value-of-the-key")
    assert Secrets.of().redact("value-of-the-key") == REDACTED
    assert Secrets.of({}).redact("value-of-the-key") == "value-of-the-key"
