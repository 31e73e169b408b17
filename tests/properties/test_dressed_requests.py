"""One conversation in two dresses has one key; another conversation has another, whatever it wears."""

import json
import random
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pytest_aar.cassettes.canonical import Canonical
from pytest_aar.secrets import Secrets

RESPONSES, MESSAGES = "openai/v1/responses", "anthropic/v1/messages"
PROFILE = settings(max_examples=60, deadline=None)

texts = st.text(st.sampled_from('abé :/."\\\n{}07'), max_size=12)


@dataclass(frozen=True)
class Step:
    """Calls that were made side by side, each with its command and output."""

    calls: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Talk:
    """What was really said."""

    system: str
    prompt: str
    steps: tuple[Step, ...]


steps = st.builds(Step, st.lists(st.tuples(texts, texts), min_size=1, max_size=3).map(tuple))
talks = st.builds(Talk, texts, texts, st.lists(steps, max_size=3).map(tuple))


class Dress:
    """What differs between equal runs, drawn from a seed."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)
        self.host_folder = f"/tmp/pytest-{self.number()}/work"
        self.work = self._dice.choice([self.host_folder, "/race"])
        token = self.word()
        self.gateway = self._dice.choice(
            [f"http://127.0.0.1:{self.number()}/r/{token}", f"unix:/run/{token}/g.sock:/r/{token}"]
        )
        self.day = f"{self._dice.randint(2024, 2031)}-0{self._dice.randint(1, 9)}-11"

    def number(self) -> int:
        return self._dice.randint(10_000, 60_000)

    def word(self) -> str:
        return "".join(self._dice.choices("abcdef012345", k=9))

    def coin(self) -> bool:
        return self._dice.random() < 0.5

    def shuffled(self, items: list[Any]) -> list[Any]:
        return self._dice.sample(items, len(items))

    def put_on(self, text: str) -> str:
        """Paths and addresses as this run's commands show them."""
        return f"{text}\n{self.work}/x and {self.work}\n{self.gateway}/tools {text}"


def responses_body(talk: Talk, dress: Dress) -> dict[str, Any]:
    """As Codex sends it."""
    surroundings = (
        f"<environment_context>\n <cwd>{dress.work}</cwd>\n <shell>bash</shell>\n"
        f" <current_date>{dress.day}</current_date>\n</environment_context>"
    )
    items = [_said(dress, "developer", talk.system), _said(dress, "user", surroundings)]
    items.append(_said(dress, "user", dress.put_on(talk.prompt)))
    for number, step in enumerate(talk.steps):
        for place, (command, output) in enumerate(step.calls):
            call = {"call_id": f"call_{number}_{place}"}
            arguments = json.dumps({"cmd": dress.put_on(command)})
            asked = {"type": "function_call", "name": "exec_command", "arguments": arguments}
            told = (
                f"Chunk ID: {dress.word()}\nWall time: 0.{dress.number()} seconds\n"
                f"Process exited with code 0\nOriginal token count: {dress.number()}\n"
                f"Output:\n{dress.put_on(output)}"
            )
            items.append({**asked, **call, "id": f"fc_{dress.word()}"})
            items.append(
                {
                    "type": "function_call_output",
                    **call,
                    "id": f"fco_{dress.word()}",
                    "output": told,
                }
            )
    return {
        "model": "m",
        "input": items,
        "prompt_cache_key": dress.word(),
        "client_metadata": {"session_id": dress.word(), "turn_id": dress.word()},
    }


def _said(dress: Dress, role: str, text: str) -> dict[str, Any]:
    content = [{"type": "input_text", "text": text}]
    return {"type": "message", "id": f"msg_{dress.word()}", "role": role, "content": content}


def messages_body(talk: Talk, dress: Dress) -> dict[str, Any]:
    """As Claude Code sends it."""
    system = [{"type": "text", "text": f"CWD: {dress.work}\nDate: {dress.day}\n{talk.system}"}]
    if dress.coin():
        billing = f"x-anthropic-billing-header: cc_version=2.{dress.word()};"
        system.insert(0, {"type": "text", "text": billing})
    mark, day = ("'", dress.day) if dress.coin() else ("\u2019", dress.day.replace("-", "/"))
    reminder = f"<system-reminder>\n# currentDate\nToday{mark}s date is {day}.\n</system-reminder>"
    said = [{"type": "text", "text": reminder}, {"type": "text", "text": dress.put_on(talk.prompt)}]
    messages: list[dict[str, Any]] = [{"role": "user", "content": said}]
    for number, step in enumerate(talk.steps):
        uses, results = [], []
        for place, (command, output) in enumerate(step.calls):
            identity = f"toolu_{number}_{place}"
            given_ = {"command": dress.put_on(command)}
            uses.append({"type": "tool_use", "id": identity, "name": "Bash", "input": given_})
            task = dress.word()
            told = (
                f"<persisted-output>\nOutput too large (99KB). Full output saved to: {dress.host_folder}/.cfg/"
                f"{dress.word()}/tool-results/{dress.word()}.txt\n\n{dress.put_on(output)}\n"
                f"Command running in background with ID: {task}. Output is being written to: "
                f"{dress.host_folder}/{dress.word()}/tasks/{task}.output. You will be notified"
            )
            results.append({"type": "tool_result", "tool_use_id": identity, "content": told})
        messages.append({"role": "assistant", "content": uses})
        messages.append({"role": "user", "content": dress.shuffled(results)})
    if dress.coin():
        messages[-1]["content"][-1]["cache_control"] = {"type": "ephemeral"}
        system[-1]["cache_control"] = {"type": "ephemeral"}  # type: ignore[assignment]
    return {
        "model": "m",
        "messages": messages,
        "system": system,
        "metadata": {"user_id": json.dumps({"session_id": dress.word()})},
    }


BODIES = {RESPONSES: responses_body, MESSAGES: messages_body}


def key(talk: Talk, endpoint: str, seed: int) -> str:
    """The key of a talk in one dress, all its objects' fields in an order of their own."""
    dress = Dress(seed)
    body = dict(dress.shuffled(list(BODIES[endpoint](talk, dress).items())))
    canonical = Canonical(secrets=Secrets(), tags={dress.host_folder: "{{aar:work}}"})
    data = json.dumps(body, indent=dress.coin() or None).encode()
    return canonical.asked("POST", "https://m.test/x", data, endpoint=endpoint).key


@pytest.mark.parametrize("endpoint", BODIES)
@PROFILE
@given(talk=talks, seeds=st.tuples(st.integers(), st.integers()))
def test_a_dress_does_not_count(endpoint: str, talk: Talk, seeds: tuple[int, int]) -> None:
    assert key(talk, endpoint, seeds[0]) == key(talk, endpoint, seeds[1])


@pytest.mark.parametrize("endpoint", BODIES)
@PROFILE
@given(talk=talks, seed=st.integers(), text=texts, data=st.data())
def test_what_is_said_counts(
    endpoint: str, talk: Talk, seed: int, text: str, data: st.DataObject
) -> None:
    places = ["system", "prompt", *(f"step {n}" for n in range(len(talk.steps)))]
    place = data.draw(st.sampled_from(places))
    other = _changed(talk, place, text)
    assume(other != talk)
    assert key(other, endpoint, seed) != key(talk, endpoint, seed)


def _changed(talk: Talk, place: str, text: str) -> Talk:
    if place == "system":
        return replace(talk, system=text)
    if place == "prompt":
        return replace(talk, prompt=text)
    number = int(place.removeprefix("step "))
    command, output = talk.steps[number].calls[0]
    changed = Step(
        ((text, output) if len(text) % 2 else (command, text), *talk.steps[number].calls[1:])
    )
    return replace(talk, steps=(*talk.steps[:number], changed, *talk.steps[number + 1 :]))
