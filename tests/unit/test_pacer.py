import asyncio
import json
from collections.abc import Iterable
from dataclasses import replace

import httpx
import pytest
from little_world import LEG, ROUTE, WIKI, answer, leg_named

from pytest_aar.errors import ConfigurationError, ModelUnavailable
from pytest_aar.leg import Leg, RouteInfo
from pytest_aar.pacer import PacerPlan, PacerTransport, Skills, plan
from pytest_aar.pacer.chat import ChatWire, completion, stream
from pytest_aar.pacer.turn import next_turn
from pytest_aar.readings import read
from pytest_aar.score import score
from pytest_aar.tools import SANDBOX, Services, TransportDecides, call
from pytest_aar.trace import Finish, ToolCall, Trace

HALF = Skills(navigation=0.6, tools=0.6, arithmetic=0.6, seed=1)


async def _race(leg: Leg, skills: Skills, services: Services) -> Trace:
    """Carry out a plan with the tools alone: no gateway, no agent."""
    planned, dice = plan(leg, skills), skills.dice(leg.leg_id, 1)
    calls: list[ToolCall] = []
    for number in range(len(planned.actions) - 1):
        turn = next_turn(planned, leg, number, Trace(events=tuple(calls)), dice)
        result = await call(turn.tool, turn.arguments, services)
        calls.append(
            ToolCall(
                name=turn.tool,
                arguments=turn.arguments,
                ok=result.ok,
                text=result.text,
                error_kind=result.error_kind,
                final_url=result.final_url,
                title=result.title,
            )
        )
    return Trace(events=tuple(calls))


async def _races(legs: Iterable[Leg], skills: Skills) -> list[Trace]:
    transport = httpx.MockTransport(answer)
    async with httpx.AsyncClient(transport=transport, trust_env=False) as http:
        services = Services(http=http, endpoints=SANDBOX, guard=TransportDecides())
        return [await _race(leg, skills, services) for leg in legs]


def races(legs: Iterable[Leg], skills: Skills) -> list[Trace]:
    return asyncio.run(_races(legs, skills))


def race(leg: Leg, skills: Skills) -> Trace:
    return races([leg], skills)[0]


def plans(count: int, skills: Skills = HALF) -> list[PacerPlan]:
    return [plan(leg_named(f"little/{n}"), skills) for n in range(count)]


# Skills


def test_skills_are_parsed() -> None:
    skills = Skills.parse("navigation=0.7, tools=0.9,arithmetic=0.95,seed=3")
    assert skills == Skills(navigation=0.7, tools=0.9, arithmetic=0.95, seed=3)
    assert Skills.parse("") == Skills()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("speed=1", "no 'speed'; valid: navigation, tools, arithmetic, seed"),
        ("tools=1.5", "tools='1.5' is not a probability"),
        ("tools=nan", "tools='nan' is not a probability"),
        ("tools", "tools='' is not a probability"),
        ("seed=x", "seed='x' is not a whole number"),
    ],
)
def test_wrong_skills_say_what_is_valid(text: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        Skills.parse(text)


def test_any_seed_is_a_seed() -> None:
    assert Skills.parse("seed=12").seed == 12
    assert Skills.parse("seed=-2").seed == -2


def test_the_model_name_tells_skills_apart() -> None:
    names = {
        Skills.parse(text).model_name for text in ("", "seed=1", "tools=0.9", "navigation=0.9")
    }
    assert len(names) == 4
    assert all(name.startswith("pacer-") for name in names)


# Plans


def test_full_skills_follow_the_golden_route() -> None:
    planned = plan(LEG, Skills())
    assert (planned.error_class, planned.digit, planned.faults) == ("correct", 6, ())
    assert [action.tool for action in planned.actions] == [
        "fetch_webpage",
        "countries_population",
        "fetch_webpage",
        "maps_geocode",
        "maps_elevation",
        "fetch_webpage",
        "fetch_webpage",
        "countries_area",
        "",
    ]


def test_a_page_of_several_stops_is_fetched_once() -> None:
    twice = replace(LEG.stops[4], page_url=f"{WIKI}start")
    leg = replace(LEG, stops=(*LEG.stops[:4], twice, *LEG.stops[5:]))
    urls = [action.arguments.get("url") for action in plan(leg, Skills()).actions]
    assert [url for url in urls if url] == [WIKI + name for name in ("Start", "Alpha", "Gamma")]


def test_a_search_transition_searches_first() -> None:
    searching = replace(LEG.stops[0], transition="search_query", search_query="the first letter")
    leg = replace(LEG, stops=(searching, *LEG.stops[1:]))
    actions = plan(leg, Skills()).actions
    assert [action.kind for action in actions[:3]] == ["fetch", "search", "call"]
    assert actions[1].arguments == {"query": "the first letter"}


def test_plans_depend_on_seed_leg_and_repeat_alone() -> None:
    assert plan(LEG, HALF) == plan(LEG, HALF)
    assert len({plan(LEG, replace(HALF, seed=n)).digit for n in range(30)}) > 3
    assert len({plan(LEG, HALF, repeat).digit for repeat in range(30)}) > 3


def test_accuracy_is_the_product_of_the_skills() -> None:
    skills = Skills(navigation=0.8, tools=0.9, arithmetic=0.95, seed=5)
    made = plans(4000, skills)
    right = sum(planned.digit == LEG.digit for planned in made) / len(made)
    assert right == pytest.approx(0.8 * 0.9 * 0.95, abs=0.025)
    assert all((p.digit == LEG.digit) == (p.error_class == "correct") for p in made)


def test_wrong_digits_are_drawn_from_the_nine_others() -> None:
    wrong = [planned.digit for planned in plans(2000, Skills(arithmetic=0.0))]
    counts = [wrong.count(digit) for digit in range(10)]
    assert counts[LEG.digit] == 0
    assert all(160 < count < 290 for digit, count in enumerate(counts) if digit != LEG.digit)


def test_a_leg_without_roadblocks_gets_a_wrong_digit_instead_of_a_tool_fault() -> None:
    leg = replace(LEG, stops=tuple(s for s in LEG.stops if s.index not in (1, 3, 7)))
    leg = replace(leg, stops=tuple(replace(s, index=n) for n, s in enumerate(leg.stops)))
    assert plan(leg, Skills(tools=0.0)).error_class == "computation"


def test_a_leg_without_pages_gets_a_tool_fault_instead_of_a_navigation_fault() -> None:
    stops = tuple(s for s in LEG.stops if not isinstance(s, RouteInfo) and s.index != 5)
    leg = replace(LEG, stops=tuple(replace(s, index=n) for n, s in enumerate(stops)))
    assert plan(leg, Skills(navigation=0.0)).error_class == "tool use"


# Classes recovered from leg and trace alone


def test_classes_and_first_faults_are_recovered_from_the_trace() -> None:
    seen: dict[str, int] = {}
    legs = [leg_named(f"little/{number}") for number in range(400)]
    for leg, trace in zip(legs, races(legs, HALF), strict=True):
        planned = plan(leg, HALF)
        found = score(leg, trace, Finish(ending="answered", answer=planned.digit))
        assert found.error_class == planned.error_class, leg.leg_id
        first = planned.faults[0].stop if planned.faults else None
        assert found.first_divergence == first, (leg.leg_id, planned.faults)
        seen[planned.error_class] = seen.get(planned.error_class, 0) + 1
    assert min(seen.values()) > 30
    assert len(seen) == 4


def test_siblings_are_pages_that_exist_and_that_are_not_golden() -> None:
    legs = [leg_named(f"little/{number}") for number in range(50)]
    for trace in races(legs, Skills(navigation=0.0)):
        fetched = [c for c in trace.tool_calls if c.name == "fetch_webpage"]
        assert all(c.ok for c in fetched)
        assert sum(c.title in ROUTE for c in fetched) < len(ROUTE) / 2


def test_placeholders_are_filled_from_the_trace() -> None:
    calls = race(LEG, Skills()).tool_calls
    elevation = next(c for c in calls if c.name == "maps_elevation")
    assert read("elevation", elevation.text) == 432.0
    assert elevation.arguments["locations"][0] == {"latitude": 60.5, "longitude": 10.25}


def test_a_chain_whose_first_call_failed_goes_on_without_it() -> None:
    broken = replace(LEG.stops[3].chain[0], tool="countries_area", arguments={"country": "No"})  # type: ignore[union-attr]
    roadblock = replace(LEG.stops[3], chain=(broken, LEG.stops[3].chain[1]))  # type: ignore[union-attr]
    leg = replace(LEG, stops=(*LEG.stops[:3], roadblock, *LEG.stops[4:]))
    calls = race(leg, Skills()).tool_calls
    assert [c.error_kind for c in calls if not c.ok] == ["not_found", "bad_arguments"]


# On the wire


BASH = {"tools": [{"type": "function", "function": {"name": "bash"}}]}
FUNCTIONS = {"tools": [{"type": "function", "function": {"name": "fetch_webpage"}}]}


def reply(number: int, body: dict[str, object], skills: Skills | None = None) -> dict[str, object]:
    skills = skills or Skills()
    dice = skills.dice(LEG.leg_id, 1)
    turn = next_turn(plan(LEG, skills), LEG, number, Trace(), dice)
    message: dict[str, object] = completion(turn, body, size=400)["choices"][0]["message"]
    return message


def test_turns_are_counted_by_the_assistants_messages() -> None:
    roles = ["system", "user", "assistant", "tool", "assistant"]
    assert ChatWire().turns_taken({"messages": [{"role": role} for role in roles]}) == 2
    assert ChatWire().turns_taken({"messages": "broken"}) == 0


def test_function_calls_where_functions_are_offered() -> None:
    (call_,) = reply(0, FUNCTIONS)["tool_calls"]  # type: ignore[misc]
    assert call_["id"] == "call_0"
    assert call_["function"]["name"] == "fetch_webpage"
    assert json.loads(call_["function"]["arguments"]) == {"url": WIKI + "Start"}
    assert reply(8, FUNCTIONS) == {"role": "assistant", "content": "6"}
    assert reply(80, FUNCTIONS) == {"role": "assistant", "content": "6"}


def test_shell_commands_where_bash_is_offered() -> None:
    def command(number: int) -> str:
        (call_,) = reply(number, BASH)["tool_calls"]  # type: ignore[misc]
        return str(json.loads(call_["function"]["arguments"])["command"])

    assert command(0) == f"""python3 tools.py fetch_webpage '{{"url": "{WIKI}Start"}}'"""
    assert command(8) == "echo 6 > answer.txt && echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


@pytest.mark.parametrize("body", [{}, {"tools": []}, {"tools": "x"}, {"tools": [{"name": "x"}]}])
def test_nothing_is_said_where_no_tool_is_offered(body: dict[str, object]) -> None:
    request = httpx.Request("POST", "https://pacer.aar.test/v1", json={**body, "messages": []})
    with pytest.raises(ModelUnavailable, match=r"offers no\s+tools: offer the race's tools"):
        asyncio.run(PacerTransport(Skills()).handle_async_request(request))


def test_usage_is_an_estimate_that_does_not_vary() -> None:
    turn = next_turn(plan(LEG, Skills()), LEG, 0, Trace(), Skills().dice("x", 1))
    usage = completion(turn, FUNCTIONS, size=400)["usage"]
    assert usage["prompt_tokens"] == 100
    assert usage["completion_tokens"] > 10
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]


def test_a_stream_says_the_same() -> None:
    turn = next_turn(plan(LEG, Skills()), LEG, 0, Trace(), Skills().dice("x", 1))
    whole = completion(turn, FUNCTIONS, size=400)
    lines = b"".join(stream(whole, with_usage=True)).decode().split("\n\n")
    chunks = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
    assert chunks[0]["choices"][0]["delta"]["tool_calls"][0]["index"] == 0
    assert chunks[1]["choices"][0]["finish_reason"] == "tool_calls"
    assert chunks[2] == {
        **{key: chunks[0][key] for key in ("id", "created", "model", "object")},
        "choices": [],
        "usage": whole["usage"],
    }
    assert lines[-2:] == ["data: [DONE]", ""]


@pytest.mark.parametrize("pages", [1, 2])
def test_short_routes_hold_navigation_faults_too(pages: int) -> None:
    kept = [s for s in LEG.stops if not isinstance(s, RouteInfo)]
    stops = [s for s in LEG.stops if isinstance(s, RouteInfo)][:pages] + [
        s for s in kept if s.index in (1, 8)
    ]
    stops = [replace(stop, index=n) for n, stop in enumerate(stops)]
    leg = replace(LEG, stops=(*stops[:-1], replace(stops[-1], operands=())))  # type: ignore[call-arg]
    trace = race(leg, Skills(navigation=0.0))
    assert [c.name for c in trace.tool_calls][:2] == ["web_search", "fetch_webpage"]
    fetched = [c for c in trace.tool_calls if c.name == "fetch_webpage"]
    assert all(c.ok and c.title not in ROUTE[:pages] for c in fetched)
    found = score(leg, trace, Finish(ending="answered", answer=0))
    assert (found.error_class, found.first_divergence) == ("navigation", 0)
