"""From a request on the wire to its canonical form and key."""

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from pytest_aar.cassettes.asked import Asked, Part, keyed
from pytest_aar.cassettes.blobs import Blob
from pytest_aar.cassettes.conversation import ConversationReader
from pytest_aar.cassettes.forms import ModelProtocol, canonical_json
from pytest_aar.cassettes.gists import gist_of, role_of, window_of
from pytest_aar.cassettes.protocols import protocol_of
from pytest_aar.cassettes.split_texts import joined_where_split
from pytest_aar.secrets import Secrets

#: Query parameters that hold credentials: neither matched nor stored.
_CREDENTIALS = frozenset(
    {"key", "api_key", "apikey", "api-key", "appid", "token", "access_token", "auth", "signature"}
)
#: The addresses of a race on the gateway, by TCP and by unix socket; port and token are new in each run.
_GATEWAY = re.compile(r"(?:http://127\.0\.0\.1:\d+|unix:/[\w./-]+:)/r/[A-Za-z0-9_-]+")
GATEWAY_TAG, WORK_TAG = "{{aar:gateway}}", "{{aar:work}}"
#: The work folder in a box that has its own root: a whole component, after an escape of JSON, too.
_BOXED_WORK = re.compile(r"(?:(?<![\w.~/-])|(?<=\\[nrt]))/race(?![\w-]|\.\w)")


class Canonical:
    """Makes requests comparable between runs; keeps what one conversation needs not parse twice.

    `tags` maps text that differs between runs (work folder, gateway address) to a constant tag. Where
    several texts have one tag, the one that was tagged last is what answers get for it. The work folder
    in a box and the gateway's addresses are known by their form, so that what was recorded in one kind
    of box can be replayed in another.
    """

    def __init__(self, *, secrets: Secrets, tags: Mapping[str, str]) -> None:
        self._secrets, self._tags = secrets, dict(tags)
        self._readers: dict[str, ConversationReader] = {}

    def unredacted(self) -> "Canonical | None":
        """The same without looking for secrets; None where there are none to look for."""
        return Canonical(secrets=Secrets(), tags=self._tags) if self._secrets.values else None

    def tag(self, text: str, tag: str) -> None:
        """Replace `text` by `tag` from now on, and the tag by this text in answers."""
        self._tags.pop(text, None)
        self._tags[text] = tag

    def asked(self, method: str, url: str, body: bytes, *, endpoint: str | None) -> Asked:
        """The canonical request; `endpoint` (model calls) replaces host and path."""
        protocol = protocol_of(endpoint) if endpoint else None
        uri = endpoint.strip("/") if endpoint else self.clean_text(canonical_url(url))
        if protocol is not None and endpoint is not None:
            conversation = self._conversation(protocol, endpoint, body)
            if conversation is not None:
                head, messages = conversation
                return keyed(method, uri, head, messages)
        return keyed(method, uri, self._plain(body, protocol))

    def clean_text(self, text: str) -> str:
        """`text` with secrets redacted and run-dependent text replaced by tags."""
        for literal, tag in self._tags.items():
            if literal in text:
                text = _tagged(text, literal, tag)
        return self._secrets.redact(_tagged_by_form(text))

    def clean_answer(self, body: bytes) -> bytes:
        """An answer as it is stored: the tags of this run in, secrets out, also those that a stream cuts in two."""
        body = joined_where_split(body, self.clean_text)
        if self._may_hold_tagged(body):
            try:
                return self.clean_text(body.decode()).encode()
            except UnicodeDecodeError:
                pass  # no text, or cut: what can be found in bytes is replaced below
        for literal, tag in self._tags.items():
            body = body.replace(literal.encode(), tag.encode())
        return self._secrets.redact_bytes(body)

    def _may_hold_tagged(self, body: bytes) -> bool:
        marks = (*_MARKS, *self._tags)
        return any(mark.encode() in body for mark in marks)

    def redact(self, text: str) -> str:
        """`text` without secrets, its run-dependent parts as they are."""
        return self._secrets.redact(text)

    def revive_answer(self, body: bytes) -> bytes:
        """A stored answer as this run's client must see it: tags become this run's text again."""
        if b"{{aar:" in body:
            for tag, literal in {tag: literal for literal, tag in self._tags.items()}.items():
                body = body.replace(tag.encode(), literal.encode())
        return body

    def _conversation(
        self, protocol: ModelProtocol, endpoint: str, body: bytes
    ) -> tuple[Blob, tuple[Part, ...]] | None:
        """Head and messages, or None when the body is no JSON of this protocol."""
        reader = self._readers.get(endpoint)
        if reader is None:
            reader = ConversationReader(
                protocol.messages_key, lambda message: self._part(protocol.clean_message(message))
            )
            self._readers[endpoint] = reader
        try:
            head, messages = reader.read(body.decode())
            return self._blob(canonical_json(protocol.clean_head(head))), messages
        except (ValueError, RecursionError):
            self._readers.pop(endpoint)
            return None

    def _part(self, message: Any) -> Part:
        gist = gist_of(self.clean_text(window_of(message)))
        return Part(role_of(message), self._blob(canonical_json(message)), gist)

    def _plain(self, body: bytes, protocol: ModelProtocol | None) -> Blob:
        try:
            value = json.loads(body)
            if protocol is not None and isinstance(value, dict):
                value = protocol.clean_head(value)
            return self._blob(canonical_json(value))
        except (ValueError, RecursionError):
            return Blob.of(self.clean_answer(body))

    def _blob(self, text: str) -> Blob:
        return Blob.of(self.clean_text(text).encode("utf-8", "surrogatepass"))


_MARKS = ("/race", "http://127.0.0.1:", "unix:/")


def _tagged(text: str, literal: str, tag: str) -> str:
    """`/race` is a folder of others, too, inside longer names."""
    return _BOXED_WORK.sub(tag, text) if literal == "/race" else text.replace(literal, tag)


def _tagged_by_form(text: str) -> str:
    if any(mark in text for mark in _MARKS):
        text = _GATEWAY.sub(GATEWAY_TAG, text)
        text = _BOXED_WORK.sub(WORK_TAG, text)
    return text


def canonical_url(url: str) -> str:
    """`url` with its query sorted (blanks kept), credentials removed, no fragment."""
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    kept = sorted(pair for pair in pairs if pair[0].lower() not in _CREDENTIALS)
    host = parts.hostname or ""
    host = (f"[{host}]" if ":" in host else host) + (f":{parts.port}" if parts.port else "")
    return urlunsplit((parts.scheme, host, parts.path, urlencode(kept), ""))
