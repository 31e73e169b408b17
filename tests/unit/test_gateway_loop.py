"""The gateway's thread: what its retries leave in the log of the project under test."""

import asyncio
import logging

import pytest
import stamina
from stamina.instrumentation import LoggingOnRetryHook, get_on_retry_hooks, set_on_retry_hooks

from pytest_aar.gateway.loop import LoopThread


async def fails_once() -> None:
    failures = [ValueError("once")]
    async for attempt in stamina.retry_context(on=ValueError, attempts=2, wait_initial=0.001):
        with attempt:
            if failures:
                raise failures.pop()


def test_its_retries_are_not_logged_and_those_of_others_are(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hooks = get_on_retry_hooks()
    set_on_retry_hooks(
        [LoggingOnRetryHook]
    )  # stamina's own choice where structlog is not installed
    thread = LoopThread()
    try:
        thread.run(fails_once())
        assert [record for record in caplog.records if record.name == "stamina"] == []
        asyncio.run(fails_once())
        assert [record.name for record in caplog.records].count("stamina") == 1
    finally:
        thread.close()
        set_on_retry_hooks(hooks)


async def log_a_request() -> None:
    logging.getLogger("httpx").info(
        "HTTP Request: GET %s", "https://maps.test/?key=planted-secret-1"
    )


def test_what_httpx_logs_of_its_requests_is_redacted(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAPS_API_KEY", "planted-secret-1")
    caplog.set_level(logging.INFO)
    thread = LoopThread()
    try:
        thread.run(log_a_request())
        asyncio.run(log_a_request())
    finally:
        thread.close()
    assert [record.getMessage() for record in caplog.records if record.name == "httpx"] == [
        "HTTP Request: GET https://maps.test/?key=<redacted>",
        "HTTP Request: GET https://maps.test/?key=planted-secret-1",  # the project's own
    ]
