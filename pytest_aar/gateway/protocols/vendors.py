"""Whose servers speak a protocol: where they are, how they take a key, which headers they need."""

from collections.abc import Mapping
from dataclasses import dataclass

#: Where a key is looked for first, whoever the vendor is.
_ANY_KEY = "AAR_API_KEY"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendor:
    """`passed_headers`: the agent's request headers that go upstream, each with what it is without the agent's."""

    base_variable: str
    default_base: str
    key_host: str
    key_variables: tuple[str, ...]
    key_header: str
    key_prefix: str
    passed_headers: Mapping[str, str | None]
    base_hint: str

    def request_headers(self, given: Mapping[str, str]) -> dict[str, str]:
        """The allowed ones of the agent's headers, and the defaults."""
        values = {name: given.get(name, default) for name, default in self.passed_headers.items()}
        return {name: value for name, value in values.items() if value is not None}

    def key_from(self, environment: Mapping[str, str]) -> Mapping[str, str]:
        """The header that holds the key; {} when no variable is set."""
        keys = (environment[name] for name in self.key_variables if environment.get(name))
        key = next(keys, None)
        return {} if key is None else {self.key_header: f"{self.key_prefix}{key}"}


OPENAI = Vendor(
    base_variable="OPENAI_BASE_URL",
    default_base="https://api.openai.com/v1",
    key_host="api.openai.com",
    key_variables=(_ANY_KEY, "OPENAI_API_KEY"),
    key_header="authorization",
    key_prefix="Bearer ",
    passed_headers={"openai-beta": None},
    base_hint="it ends in /v1 at most servers",
)
ANTHROPIC = Vendor(
    base_variable="ANTHROPIC_BASE_URL",
    default_base="https://api.anthropic.com",
    key_host="api.anthropic.com",
    key_variables=(_ANY_KEY, "ANTHROPIC_API_KEY"),
    key_header="x-api-key",
    key_prefix="",
    passed_headers={"anthropic-version": "2023-06-01", "anthropic-beta": None},
    base_hint="/v1/messages is added to it",
)
