"""The agent `golden`: walks the golden trace with the real tools and recomputes every value."""

import json
from collections.abc import Mapping
from typing import Any

from pytest_aar.errors import AgentCrashed, ConfigurationError
from pytest_aar.golden import Walk, walk
from pytest_aar.leg import ClueEnvelope, Leg
from pytest_aar.tools import ToolResult
from pytest_aar.trace import Finish

from .protocol import Course, Limits


class GoldenAgent:
    """Validates legs. It alone is given the leg, by `for_leg`, never through the course."""

    name = "golden"
    needs_model = False

    def __init__(self, leg: Leg | None = None) -> None:
        self._leg = leg

    def version(self) -> str:
        """The package's version."""
        from importlib.metadata import version  # noqa: PLC0415 - reads files

        return version("pytest-aar")

    def for_leg(self, leg: Leg) -> "GoldenAgent":
        """The agent for this leg."""
        return GoldenAgent(leg)

    async def run(self, envelope: ClueEnvelope, course: Course, limits: Limits) -> Finish:
        """Walk; any value that differs from the leg's is a lost race that lists stop, old and new value."""
        if self._leg is None:
            raise AgentCrashed("the golden agent was not given its leg (GoldenAgent.for_leg)")

        # A cut result would look like a wrong value.
        headers = {"x-aar-whole": getattr(course.http, "whole_key", "")}

        async def call_tool(name: str, arguments: Mapping[str, Any]) -> ToolResult:
            reply = await course.http.post(f"tools/{name}", json=arguments, headers=headers)
            return ToolResult(ok=reply.is_success, text=reply.text)

        return _finish(await walk(self._leg, call_tool))


def _finish(found: Walk) -> Finish:
    if found.clean:
        return Finish(ending="answered", answer=found.digit)
    lines = [str(mismatch) for mismatch in found.mismatches]
    # No answer, though there may be a digit: a leg with a wrong value must not pass by luck.
    detail = f"{len(lines)} golden value(s) not reproduced:\n" + "\n".join(lines)
    return Finish(ending="no-answer", detail=detail)


def make(options: Mapping[str, str]) -> GoldenAgent:
    """The agent; it takes no options."""
    if options:
        raise ConfigurationError(
            f"agent 'golden' takes no options, given: {json.dumps(dict(options))}"
        )
    return GoldenAgent()
