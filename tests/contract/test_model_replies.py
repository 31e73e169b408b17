"""Recorded replies of models, read as the gateway reads them: their texts, calls and tokens, what errors are.

Tools meet none of them, but for the generated code of `python_generate_code`, which the gateway asks for.
"""

import json
from pathlib import Path

import pytest

from pytest_aar.chat_reply import calls_of, first_choice, message_of
from pytest_aar.gateway.failures import server_error
from pytest_aar.gateway.protocols import PROTOCOLS, Usage, WireProtocol

#: file -> tokens in, out, from the cache, written to the cache; text
PLAIN: dict[str, tuple[tuple[int, int, int, int | None], str | None]] = {
    "anthropic_messages_simple": ((20, 10, 0, 0), "The capital of France is Paris."),
    "anthropic_messages_sonnet5_tool_use": ((658, 50, 0, 0), None),
    "anthropic_messages_thinking_tool_use": (
        (398, 155, 0, 0),
        "I'll help you find the largest city in your country. First, let me determine which country you're from.",
    ),
    "openai_chat_simple": ((14, 7, 0, None), "The capital of France is Paris."),
    "openai_chat_tool_call": ((68, 12, 0, None), None),
    "openai_chat_tool_call_final": ((89, 36, 0, None), None),
    "openai_responses_gpt56": ((18, 5, 0, None), "Paris"),
}
#: file -> tokens in, out, from the cache, written to the cache
STREAMS: dict[str, tuple[int, int, int, int | None]] = {
    "anthropic_messages_stream_server_tool_and_tool_use": (1591, 175, 0, 0),
    "anthropic_messages_stream_text": (20, 5, 0, 0),
    "openai_chat_stream_parallel_tool_calls": (364, 40, 0, None),
    "openai_chat_stream_text": (53, 15, 0, None),
    "openai_chat_stream_tool_call": (423, 15, 0, None),
    "openai_responses_stream_text": (278, 9, 0, None),
    "openai_responses_stream_web_search_reasoning": (9463, 582, 8320, None),
}
#: file -> name and arguments of its calls
CALLS = {
    "openai_chat_simple": [],
    "openai_chat_tool_call": [("get_user_country", "{}")],
    "openai_chat_tool_call_final": [("final_result", '{"city": "Mexico City", "country": "Mexico"}')],
}  # fmt: skip
#: file -> HTTP status, a code of it, the start of its message, whether no retry mends it
ERRORS: dict[str, tuple[int, str | None, str, bool]] = {
    "anthropic_error_400_credit_balance": (400, "invalid_request_error", "Your credit balance is too low", True),
    "anthropic_error_404_model": (404, "not_found_error", "model: claude-sonet-4-5", False),
    "anthropic_error_429_acceleration": (429, "rate_limit_error", "This request would exceed", False),
    "anthropic_error_429_rate_limit": (429, "rate_limit_error", "This request would exceed", False),
    "openai_chat_error_400_unsupported_value": (400, "unsupported_value", "Unsupported value: 'messages[0]", False),
    "openai_chat_error_404_model_not_found": (404, "model_not_found", "The model `gpt-5.2-proo` does", False),
    "openai_error_429_credit_balance_exhausted": (429, "credit_balance_exhausted", "You have no credits", True),
    "openai_error_429_insufficient_quota": (429, "insufficient_quota", "You exceeded your current quota", True),
    "openai_error_429_rate_limit_tpm": (429, "rate_limit_exceeded", "Rate limit reached for gpt-4", False),
    "openrouter_error_429": (429, None, "Provider returned error", False),
}  # fmt: skip
READ = {
    *(f"llm/{name}.json" for name in (*PLAIN, *ERRORS)),
    *(f"llm/{name}.sse" for name in STREAMS),
}


@pytest.fixture
def folder(shared: Path) -> Path:
    return shared / "data/contracts/llm"


def protocol_of(name: str) -> WireProtocol:
    (found,) = (each for each in PROTOCOLS.values() if name.startswith(each.name.replace("-", "_")))
    return found


def usage(counts: tuple[int, int, int, int | None]) -> Usage:
    sent, received, cached, written = counts
    return Usage(
        input_tokens=sent, output_tokens=received, cached_tokens=cached, cache_write_tokens=written
    )


@pytest.mark.parametrize("name", PLAIN)
def test_the_text_and_the_tokens_of_a_reply(folder: Path, name: str) -> None:
    reply = json.loads((folder / f"{name}.json").read_text())
    counts, text = PLAIN[name]
    protocol = protocol_of(name)
    assert (protocol.usage(reply), protocol.text_of(reply)) == (usage(counts), text)


@pytest.mark.parametrize("name", CALLS)
def test_the_calls_of_a_reply(folder: Path, name: str) -> None:
    found = calls_of(message_of(first_choice((folder / f"{name}.json").read_bytes())))
    assert found is not None
    assert [(call.name, call.arguments) for call in found] == CALLS[name]


@pytest.mark.parametrize("piece", [1_000_000, 97])
@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_is_whole_and_its_tokens_are_counted(folder: Path, name: str, piece: int) -> None:
    whole = (folder / f"{name}.sse").read_bytes()
    tap = protocol_of(name).tap({"stream_options": {"include_usage": True}})
    pieces = [tap.feed(whole[at : at + piece]) for at in range(0, len(whole), piece)]
    assert b"".join((*pieces, tap.end())).strip() == whole.strip()
    assert (tap.usage, tap.is_whole, tap.fault) == (usage(STREAMS[name]), True, None)


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_that_breaks_off_is_not_whole(folder: Path, name: str) -> None:
    whole = (folder / f"{name}.sse").read_bytes()
    tap = protocol_of(name).tap({})
    tap.feed(whole[: len(whole) // 2])
    tap.end()
    assert not tap.is_whole


@pytest.mark.parametrize("name", ERRORS)
def test_what_an_error_says_and_whether_it_is_the_accounts(folder: Path, name: str) -> None:
    status, code, start, is_of_account = ERRORS[name]
    found = server_error((folder / f"{name}.json").read_text())
    assert (code is None and not found.codes) or code in found.codes
    assert found.message.startswith(start)
    assert found.is_of_account(status) is is_of_account
