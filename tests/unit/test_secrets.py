"""Secrets: which values count, in which forms they are found, which shapes refuse a write."""

import base64
import html
import json
from urllib.parse import quote, quote_plus

import pytest

from pytest_aar.secrets import REDACTED, Secrets, excerpt, joined_deltas, secret_values
from pytest_aar.secrets.names import HARMLESS_ENDS, JOINED_WORDS, SECRET_WORDS

VALUE = 'p@ss/w"ord <1>&é'


#: What the tables of names are made for: each row of them with a name that is in use.
SECRET_NAMES = {
    "KEY": ("OPENAI_API_KEY", "AWS_ACCESS_KEY_ID", "api-key", "apiKey", "API_KEY2", "SIGNING_KEYS"),
    "TOKEN": ("GITHUB_TOKEN", "TOKEN_KEY", "authToken"),
    "SECRET": ("client_secret", "AWS_SECRET_ACCESS_KEY", "KEYCLOAK_CLIENT_SECRET"),
    "PASSWORD": ("DB_PASSWORD", "password"),
    "PASSWD": ("MYSQL_PASSWD",),
    "PASSPHRASE": ("SSH_KEY_PASSPHRASE",),
    "CREDENTIAL": ("AZURE_CREDENTIALS",),
    "CRED": ("REGISTRY_CREDS", "AWS_CRED"),
    "AUTH": ("BASIC_AUTH", "AuthHeader"),
    "OAUTH": ("CLAUDE_CODE_OAUTH",),
    "AUTHORIZATION": ("AUTHORIZATION", "Proxy-Authorization"),
    "COOKIE": ("SESSION_COOKIE",),
    "DSN": ("SENTRY_DSN",),
    "JWT": ("SUPABASE_JWT",),
    "PAT": ("GH_PAT",),
    "SIGNATURE": ("X-Amz-Signature",),
    "SIG": ("sig",),
    "PASS": ("DB_PASS", "SMTP_PASS"),
    "WEBHOOK": ("SLACK_WEBHOOK",),
    "PWD": ("MYSQL_PWD",),
    "joined KEY": ("apikey", "ACCESSKEY"),
    "joined PASS": ("SSHPASS",),
    "joined TOKEN": ("AUTHTOKEN",),
    "joined SECRET": ("clientsecret",),
    "joined PASSWORD": ("PGPASSWORD",),
    "joined PASSWD": ("PGPASSWD",),
    "joined PASSPHRASE": ("KEYPASSPHRASE",),
    "joined CREDENTIAL": ("usercredentials",),
    "place": ("SLACK_WEBHOOK_URL", "TEAMS_HOOK_URI"),
}


def test_every_row_of_the_tables_has_its_example() -> None:
    assert SECRET_NAMES.keys() == {
        *SECRET_WORDS,
        *(f"joined {end}" for end in JOINED_WORDS),
        "place",
    }


@pytest.mark.parametrize("name", [name for names in SECRET_NAMES.values() for name in names])
def test_names_that_say_secret(name: str) -> None:
    found = secret_values({name: "abcdefgh1", "HOME": "/root/home"})
    assert found == {"abcdefgh1": f"the value of {name}"}


@pytest.mark.parametrize("end", sorted(HARMLESS_ENDS))
def test_ends_of_names_that_are_harmless(end: str) -> None:
    for name in (f"API_TOKEN_{end}", f"secret-{end.lower()}"):
        assert secret_values({name: "abcdefgh1"}) == {}


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
        ("OLDPWD", "/root/project"),
        ("AUTHORS", "Jane and Joe"),
        ("SECRETARY", "Jane Smith"),
        ("DONKEY_FOOD", "carrots and hay"),
        ("SOME_PATH", "/usr/local/bin"),
        ("KEYWORDS", "agents, races"),
        ("TOKENIZERS_PARALLELISM", "disabled-here"),
        ("MAX_TOKENS", "16000000"),
        ("AUTH_MODE", "kerberos-5"),
        ("KEY_VAULT_NAME", "the-teams-vault"),
        ("OPENAI_API_KEY", "aar-no-key"),
        ("SPACES_KEY", " " * 12),
        ("PWD", "/root/project"),
        ("KEYCLOAK_REALM", "wikipedia"),
        ("HOTKEYS", "control-alt-f"),
        ("BYPASS", "cache-and-proxy"),
        ("PASS_CRITERIA", "all-of-the-legs"),
        ("COMPASS", "north-west"),
        ("MONKEY", "chimpanzee"),
        ("WEBHOOK_PORT", "localhost:8080"),
        ("DB_PASSWORD", "postgres"),
        ("DATABASE_URL", "postgres://postgres:postgres@localhost/db"),
        ("DATABASE_URL", "postgres://wikipedia:wikipedia@localhost/db"),
        ("REPOSITORY", "https://reviewer@github.test/x"),
        ("SEARCH", "https://search.test/?q=wikipedia&keyboard=de-latin1&page_token=12345678"),
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
        ("redis://:hunter2@cache/0", "password in a URL"),
        ("AKIA" + "Q7RZ" * 4, "AWS access key"),
        ('aws_secret_access_key = "' + "aB3/" * 10 + '"', "AWS secret key"),
        ("xoxb-1234567890-abcdefghij", "Slack token"),
        ("sk_live_" + "a1B2" * 6, "Stripe key"),
        ("hf_" + "a1B2c" * 6 + "abcd", "Hugging Face token"),
        ("glpat-" + "a1B2" * 5, "GitLab token"),
        ("-----BEGIN RSA PRIVATE KEY-----", "private key"),
        ("Authorization: Basic dXNlcjpwYXNzd29yZDEyMw==", "password in a header"),
    ],
)
def test_shapes_of_keys(text: str, shape: str) -> None:
    for around in ("{}", '"{}"', "see {} here", "ask-me sk- eyJ {}"):
        assert Secrets().find(around.format(text).encode()) == (shape,)


@pytest.mark.parametrize(
    "text",
    [
        "task-" + "a" * 40,
        "AKIAIOSFODNN7EXAMPLE",
        "sk-proj-your-key-goes-here-123",
        "ghp_" + "x" * 36,
        "SecretAccessKey: " + "a" * 39,
        "Basic authentication and basic functionality",
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
    assert repr(secrets) == "Secrets(1 values)"
    assert "hunter2" not in " ".join(secrets.find(b"hunter2-hunter2"))


def test_the_environment_is_read_when_none_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "value-of-the-key")
    assert Secrets.of().redact("value-of-the-key") == REDACTED
    assert Secrets.of({}).redact("value-of-the-key") == "value-of-the-key"


@pytest.mark.parametrize(
    ("environment", "hidden"),
    [
        ({"HTTPS_PROXY": "http://me:p%40ssw0rd-1@proxy:3128"}, ["p%40ssw0rd-1", "p@ssw0rd-1"]),
        ({"DATABASE_URL": "postgres://me:p4ssw0rd-1@db/x"}, ["p4ssw0rd-1"]),
        ({"SENTRY_DSN": "https://0123456789abcdef@sentry.test/1"}, ["0123456789abcdef"]),
        ({"REPOSITORY": "https://0123456789abcdefg@github.test/x"}, ["0123456789abcdefg"]),
        ({"UPLOAD": "https://files.test/x?a=1&api_key=abcd%2Befgh"}, ["abcd%2Befgh", "abcd+efgh"]),
        ({"BLOBS": "https://files.test/x?sv=2024-08-04&sig=abcdefgh1"}, ["abcdefgh1"]),
        ({"SLACK_WEBHOOK_URL": "https://hooks.test/services/T0/B0/abcdefgh"},
         ["https://hooks.test/services/T0/B0/abcdefgh", "/services/T0/B0/abcdefgh"]),
        ({"API_AUTH": "Bearer abcdefgh12345"}, ["abcdefgh12345"]),
        ({"GCP_CREDENTIALS": '{"private_key": "abcdefgh1", "id": 7}'}, ["abcdefgh1"]),
        ({"SIGN_KEY": "-----BEGIN X-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END X-----"},
         ["MIIEvQIBADANBgkqhkiG9w0B"]),
    ],
)  # fmt: skip
def test_what_is_secret_inside_a_value(environment: dict[str, str], hidden: list[str]) -> None:
    assert set(hidden) <= secret_values(environment).keys()


@pytest.mark.parametrize(
    ("options", "hidden"),
    [
        ({"api_key": "abcdefgh1"}, "abcdefgh1"),
        ({"extra_headers": '{"x-api-key": "abcdefgh1"}'}, "abcdefgh1"),
        ({"command": "./agent --api-key abcdefgh1 --fast"}, "abcdefgh1"),
        ({"command": "API_TOKEN=abcdefgh1 ./agent"}, "abcdefgh1"),
        ({"url": "https://models.test/v1?key=abcdefgh1&x=1"}, "abcdefgh1"),
        ({"url": "https://me:abcdefgh1@models.test/v1"}, "abcdefgh1"),
    ],
)
def test_secrets_among_options(options: dict[str, str], hidden: str) -> None:
    secrets = Secrets.of({}, options={"--aar-agent-option": options})
    assert secrets.redact(f"x {hidden} x") == f"x {REDACTED} x"
    assert secrets.find(hidden.encode()) == ("a value of --aar-agent-option",)


@pytest.mark.parametrize(
    "options",
    [
        {"env": "OPENAI_API_KEY GITHUB_TOKEN"},
        {"command": "./agent --max-tokens 40960000 --key-file /etc/my-key --use-auth --verbose"},
        {"max_tokens": "16000000"},
        {"command": ""},
        {"command": "an 'open quote"},
    ],
)
def test_honest_options(options: dict[str, str]) -> None:
    assert Secrets.of({}, options={"--aar-agent-option": options}).values == ()


def test_a_secret_inside_another_is_replaced_with_it() -> None:
    secrets = Secrets.from_values(["abcdefgh", "xx-abcdefgh-yy"])
    assert secrets.redact("xx-abcdefgh-yy abcdefgh") == f"{REDACTED} {REDACTED}"


def test_objects_are_cleaned_with_their_keys() -> None:
    secrets = Secrets.from_values(["hunter2-hunter2"])
    dirty = {
        "hunter2-hunter2": ["a hunter2-hunter2", ("b", 1, None)],
        "c": {"d": "hunter2-hunter2"},
    }
    clean = {REDACTED: [f"a {REDACTED}", ["b", 1, None]], "c": {"d": REDACTED}}
    assert secrets.clean(dirty) == clean


def test_messages_are_censored_before_they_are_cut() -> None:
    """The start of a key is no less a part of it."""
    secrets = Secrets.from_values(["hunter2-hunter2"])
    text = "wrong\n key hunter2-hunter2 and sk-ant-" + "a1" * 20
    assert excerpt(text, 16, secrets) == "wrong key <redac"
    assert excerpt(text, 99, secrets) == f"wrong key {REDACTED} and {REDACTED}"


@pytest.mark.parametrize("mark", ["\n", "\r\n    ", "\\n", "\\\\n"])
def test_a_providers_key_that_is_broken_over_lines(mark: str) -> None:
    key = "sk-ant-api03-" + "aB3_" * 15
    wrapped = mark.join(key[at : at + 20] for at in range(0, len(key), 20))
    assert Secrets().find(f"see: {wrapped}".encode()) == ("API key (sk-)",)
    censored = Secrets().censor(f"see: {wrapped} ok")
    assert censored == f"see: {REDACTED} ok"


def _events(*events: object) -> bytes:
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()


def test_interleaved_calls_of_tools_are_joined_each_by_itself() -> None:
    def call(index: int, text: str) -> object:
        function = {"arguments": text}
        delta = {"tool_calls": [{"index": index, "function": function}]}
        return {"choices": [{"index": 0, "delta": delta}]}

    stream = _events(
        call(0, "hunt"), call(1, "xxxx"), call(0, "er2-hun"), call(1, "y"), call(0, "ter2")
    )
    assert joined_deltas(stream).splitlines() == [b"hunter2-hunter2", b"xxxxy"]
    found = Secrets.from_values(["hunter2-hunter2"]).find(stream)
    assert found == ("the value of a secret",)


def test_the_streams_of_the_other_protocols() -> None:
    responses = _events(
        *({"type": "response.function_call_arguments.delta", "item_id": "i", "output_index": 1,
           "delta": piece} for piece in ("sk-ant", "-api03-", "a1" * 20))
    )  # fmt: skip
    messages = _events(
        *({"type": "content_block_delta", "index": 2, "delta": {"partial_json": piece}}
          for piece in ("sk-ant", "-api03-", "a1" * 20))
    )  # fmt: skip
    for stream in (responses, messages):
        assert Secrets().find(stream) == ("API key (sk-)",)
        assert Secrets().find(b'{"x": 1}' + stream + b"data: [DONE]") == ("API key (sk-)",)


def test_deltas_of_a_stream_are_joined() -> None:
    events = b'data: {"delta":{"content":"ab\\"c"}}\n\ndata: {"delta":{"content": "d"}}\n\n'
    assert joined_deltas(events) == b'ab"cd'
    assert joined_deltas(b'{"content":"x"}') == b""


def test_what_only_looks_like_a_stream() -> None:
    assert joined_deltas(b"data: 1, data: {broken, data: " + b"[" * 9000) == b""
