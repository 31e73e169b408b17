"""The published JSON's shape: what pydantic checks before anything becomes a record.

Every field of the format is required, `depends_on` alone may be absent; unknown ones are kept.
Numbers are strict: "3" and true are no integers.
"""

from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, TypeAdapter
from typing_extensions import TypedDict  # pydantic refuses typing's before Python 3.12

_KEEP = ConfigDict(extra="allow", strict=True)

_Finite = Annotated[float, Field(allow_inf_nan=False)]
_Value = int | _Finite | str | dict[str, Any] | list[Any]


class WireStep(TypedDict):
    """One call of a tool chain."""

    __pydantic_config__ = _KEEP  # type: ignore[misc] # pydantic's way to configure a TypedDict
    tool_name: Annotated[str, Field(min_length=1)]
    arguments: dict[str, Any]
    expected_output: Any
    output_key: str | None


class WireBridge(TypedDict):
    """How a stop leads on; which fields are filled depends on its kind."""

    __pydantic_config__ = _KEEP  # type: ignore[misc] # see WireStep
    bridge_type: Literal["link_follow", "search_query", "tool_call", "compute"]
    target_url: str | None
    search_query: str | None
    expected_result_url: str | None
    tool_chain: list[WireStep]
    expression: str | None
    expression_code: str | None
    referenced_stops: list[int]


class WireStop(TypedDict):
    """One pit stop."""

    __pydantic_config__ = _KEEP  # type: ignore[misc] # see WireStep
    index: int
    stop_type: Literal["page", "tool", "reason", "compute"]
    page_url: str | None
    extraction_target: str
    extraction_section: str | None
    extracted_value: _Value
    extracted_value_type: Literal["number", "text", "date", "coords", "url"]
    bridge: WireBridge
    reasoning: str
    reason_transform: str | None
    reason_source_stop: int | None
    reason_code: str | None
    depends_on: NotRequired[list[int]]


class WireDifficulty(TypedDict):
    """The declared level and the author's counts."""

    __pydantic_config__ = _KEEP  # type: ignore[misc] # see WireStep
    level: Annotated[str, Field(min_length=1)]
    depth: int | None
    tool_stop_count: int | None
    reason_stop_count: int | None
    extraction_difficulty: str | None
    bridge_obscurity: str | None


class WireLeg(TypedDict):
    """A whole file."""

    __pydantic_config__ = _KEEP  # type: ignore[misc] # see WireStep
    trail_id: str
    seed_url: Annotated[str, Field(min_length=1)]
    seed_title: str
    stops: Annotated[list[WireStop], Field(min_length=1)]
    passcode: Annotated[int, Field(ge=0, le=9)]
    difficulty: WireDifficulty
    riddle: str
    metadata: dict[str, Any]
    generated_at: str


WIRE_LEG: TypeAdapter[WireLeg] = TypeAdapter(WireLeg)
