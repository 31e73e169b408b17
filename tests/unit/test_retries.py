import asyncio
import gzip
from collections.abc import AsyncIterator

import httpx
import pytest
from retried_requests import GOOD, Network, ask

from pytest_aar.errors import ModelUnavailable
from pytest_aar.gateway.retries import ATTEMPTS, ModelServer


@pytest.mark.parametrize(
    "failure",
    [
        httpx.Response(429, text="slow down"),
        httpx.Response(500),
        httpx.Response(503),
        httpx.Response(529, text="overloaded"),
        httpx.ConnectError("refused"),
        httpx.ReadTimeout("late"),
    ],
)
def test_what_may_pass_is_retried(failure: httpx.Response | Exception) -> None:
    network = Network(failure, failure, GOOD)
    assert ask(network).status_code == 200
    assert len(network.seen) == 3


class Breaking(httpx.AsyncByteStream):
    """A body that breaks off."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b'{"ok"'
        raise httpx.RemoteProtocolError("peer closed connection")


def broken(content_type: str = "application/json") -> httpx.Response:
    return httpx.Response(200, headers={"content-type": content_type}, stream=Breaking())


class Bodies(httpx.AsyncBaseTransport):
    """Answers in turn, bodies unread."""

    def __init__(self, *answers: httpx.Response) -> None:
        self.answers = list(answers)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return self.answers.pop(0)


def read(network: Bodies) -> httpx.Response:
    async def ask_and_read() -> httpx.Response:
        server = ModelServer(environment={}, network=network, fixed_wait=0.0)
        reply = await server.handle_async_request(
            httpx.Request("POST", "https://model.test/v1/chat/completions", content=b"{}")
        )
        await reply.aread()
        return reply

    return asyncio.run(ask_and_read())


def test_a_body_that_breaks_off_is_retried() -> None:
    zipped = httpx.Response(
        200, headers={"content-encoding": "gzip"}, content=gzip.compress(b'{"ok": true}')
    )
    network = Bodies(broken(), broken(), zipped)
    assert read(network).json() == {"ok": True}
    assert network.answers == []
    with pytest.raises(ModelUnavailable, match="peer closed connection after 6 attempts"):
        read(Bodies(*(broken() for _ in range(ATTEMPTS))))


def test_a_stream_is_handed_on_unread() -> None:
    with pytest.raises(httpx.RemoteProtocolError):
        read(Bodies(broken("text/event-stream")))


def test_after_all_attempts_the_model_is_unavailable() -> None:
    network = Network(httpx.Response(503, text="down for repair"))
    with pytest.raises(
        ModelUnavailable, match=r"model\.test: answered 503: down for repair after 6"
    ):
        ask(network)
    assert len(network.seen) == ATTEMPTS


def test_a_used_up_quota_is_not_retried() -> None:
    body = {"error": {"code": "insufficient_quota", "message": "You exceeded your quota"}}
    network = Network(httpx.Response(429, json=body))
    with pytest.raises(ModelUnavailable, match="insufficient_quota"):
        ask(network)
    assert len(network.seen) == 1


LONG = "x" * 400
RATE_LIMIT = {
    "message": "Rate limit reached for m: Limit 3, Used 3. Please try again in 20s. You can increase your rate "
    "limit by adding a payment method at https://platform.openai.com/account/billing.",
    "type": "requests",
    "code": "rate_limit_exceeded",
}


@pytest.mark.parametrize(
    "error",
    [
        RATE_LIMIT,
        {"message": "slow down, insufficient_quota is another thing"},
        "credit balance: please wait",
        {"message": LONG, "type": None, "code": 429},
    ],
)
def test_words_about_money_keep_no_rate_limit_from_its_retries(error: object) -> None:
    network = Network(httpx.Response(429, json={"error": error}), GOOD)
    assert ask(network).status_code == 200
    assert len(network.seen) == 2


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (429, {"error": {"message": LONG, "code": "insufficient_quota"}}),
        (429, {"error": {"message": LONG, "type": "insufficient_quota", "code": None}}),
        (429, [{"error": {"message": LONG, "type": "billing_not_active"}}]),
        (500, {"error": LONG, "code": "account_deactivated"}),
        (402, {"type": "error", "error": {"type": "billing_error", "message": LONG}}),
        (400, {"error": {"type": "billing_hard_limit_reached", "message": LONG}}),
        (
            400,
            {
                "type": "error",
                "error": {
                    "type": "invalid_request_error",
                    "message": "Your credit balance is too low to access the API. " + LONG,
                },
            },
        ),
    ],
)
def test_a_code_behind_a_long_message_is_final(status: int, body: object) -> None:
    network = Network(httpx.Response(status, json=body))
    with pytest.raises(ModelUnavailable, match="quota is used up") as error:
        ask(network)
    assert error.value.final
    assert len(network.seen) == 1


@pytest.mark.parametrize(
    "words",
    [
        "unknown tool 'billing_lookup'",
        "insufficient_quota is no role",
        "'Your credit balance is too low' is no tool",
        "[" * 100_000,
    ],
)
def test_a_refusal_that_quotes_the_agents_words_is_the_agents(words: str) -> None:
    refused = {"error": {"message": f"Invalid messages[3]: {words}", "code": "invalid_value"}}
    for body in (refused, {"detail": words}):
        assert ask(Network(httpx.Response(400, json=body))).status_code == 400
    assert ask(Network(httpx.Response(400, text=f"Invalid: {words}"))).status_code == 400


@pytest.mark.parametrize(
    ("status", "advice"), [(401, "AAR_API_KEY or OPENAI_API_KEY"), (404, "--aar-base-url")]
)
def test_no_entry_says_what_to_do(status: int, advice: str) -> None:
    network = Network(httpx.Response(status, text="no"))
    with pytest.raises(ModelUnavailable, match=advice):
        ask(network)
    assert len(network.seen) == 1


@pytest.mark.parametrize("status", [403, 404])
def test_no_such_model_is_an_answer_to_who_named_it(status: int) -> None:
    network = Network(httpx.Response(status, text="no such model"))
    assert ask(network, own_choice=True).status_code == status
    with pytest.raises(ModelUnavailable):
        ask(Network(httpx.Response(401, text="no")), own_choice=True)


@pytest.mark.parametrize(
    ("status", "text", "advice"),
    [
        (402, "no credits", "quota is used up"),
        (400, "Your credit balance is too low", "quota is used up"),
        (405, "<html>", "check --aar-base-url"),
        (301, "moved", "check --aar-base-url"),
    ],
)
def test_what_is_no_refusal_of_the_request_is_no_loss_of_the_agent(
    status: int, text: str, advice: str
) -> None:
    network = Network(httpx.Response(status, text=text))
    with pytest.raises(ModelUnavailable, match=f"answered {status}: .*{advice}"):
        ask(network)
    assert len(network.seen) == 1


@pytest.mark.parametrize("status", [501, 520, 524, 530])
def test_every_fault_of_a_server_is_retried(status: int) -> None:
    network = Network(httpx.Response(status), GOOD)
    assert ask(network).status_code == 200
    assert len(network.seen) == 2


def test_other_refusals_are_the_agents_to_hear() -> None:
    assert ask(Network(httpx.Response(400, text="bad"))).status_code == 400


def test_a_refusal_that_calls_itself_a_stream_can_still_be_read() -> None:
    async def once() -> AsyncIterator[bytes]:
        yield b"bad"

    head = {"content-type": "text/event-stream"}
    reply = ask(lambda _: httpx.Response(400, headers=head, content=once()))
    assert isinstance(reply.stream, httpx.ByteStream)
    assert b"".join(reply.stream) == b"bad"


def test_retry_after_is_honoured() -> None:
    limited = httpx.Response(429, headers={"retry-after": "0.2"})
    start = asyncio.new_event_loop()
    began = start.time()
    ask(Network(limited, GOOD), wait=None)
    assert 0.2 <= start.time() - began < 2
    start.close()


def test_the_key_comes_from_the_environment() -> None:
    network = Network(GOOD)
    ask(network, environment={"OPENAI_API_KEY": "sk-two", "AAR_API_KEY": "sk-one"})
    assert network.seen[0].headers["authorization"] == "Bearer sk-one"


def test_a_missing_key_is_told_before_anything_is_sent() -> None:
    network = Network(GOOD)
    server = ModelServer(
        environment={},
        network=httpx.MockTransport(network),
    )
    request = httpx.Request("POST", "https://api.openai.com/v1/chat/completions", content=b"{}")
    with pytest.raises(ModelUnavailable, match="variable AAR_API_KEY or OPENAI_API_KEY"):
        asyncio.run(server.handle_async_request(request))
    assert network.seen == []


def test_local_servers_need_no_key() -> None:
    network = Network(GOOD)
    ask(network)
    assert "authorization" not in network.seen[0].headers


@pytest.mark.parametrize("status", [401, 500])
def test_a_key_that_the_server_repeats_is_not_in_the_message(status: int) -> None:
    """Also where the message's cut would leave half of it."""
    text = "x" * 280 + " wrong key planted-secret-7f3a9c and sk-ant-" + "a1" * 20
    network = Network(httpx.Response(status, text=text))
    with pytest.raises(ModelUnavailable, match=rf"answered {status}") as error:
        ask(network, environment={"OPENAI_API_KEY": "planted-secret-7f3a9c"})
    assert "wrong key <redacted" in str(error.value)
    assert "planted" not in str(error.value)
