"""One stop of the wire format to a record, and back."""

from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import Any, NoReturn, cast

from pytest_aar.errors import LegError
from pytest_aar.leg import ChainStep, Detour, FinishLine, PitStop, Roadblock, RouteInfo

from .wire import WireBridge, WireStep, WireStop

# Fields that hold nothing in the kinds of stop that don't use them.
_BLANK_STOP: dict[str, Any] = {
    "reason_transform": None,
    "reason_source_stop": None,
    "reason_code": None,
}
_BLANK_BRIDGE: dict[str, Any] = {
    "target_url": None,
    "search_query": None,
    "expected_result_url": None,
    "tool_chain": [],
    "expression": None,
    "expression_code": None,
    "referenced_stops": [],
}

_STEP = frozenset(WireStep.__annotations__)
_TRANSITIONS = {
    "page": ("link_follow", "search_query"),
    "tool": ("tool_call",),
    "reason": ("compute",),
    "compute": ("compute",),
}


def stop_of(wire: WireStop, where: str) -> PitStop:
    """The record of a wire stop; raises LegError when a field that its kind needs is empty."""
    kind = wire["stop_type"]
    transition = wire["bridge"]["bridge_type"]
    if transition not in _TRANSITIONS[kind]:
        choices = " or ".join(map(repr, _TRANSITIONS[kind]))
        problem = f"should be {choices} at a stop of type {kind!r}, found {transition!r}"
        raise LegError(problem, where=where, stop=wire["index"], field="bridge.bridge_type")
    return _MAKERS[kind](wire, where)


def wire_of(stop: PitStop) -> dict[str, Any]:
    """The wire stop of a record, fields in published order, unknown ones at the end."""
    kind, of_kind, bridge = _parts(stop)
    wire: dict[str, Any] = {
        "index": stop.index,
        "stop_type": kind,
        "page_url": stop.page_url,
        "extraction_target": stop.target,
        "extraction_section": stop.section,
        "extracted_value": stop.value,
        "extracted_value_type": stop.value_type,
        "bridge": _ordered_bridge(bridge) | dict(stop.bridge_extra),
        "reasoning": stop.reasoning,
        "reason_transform": None,
        "reason_source_stop": None,
        "reason_code": None,
    }
    wire.update(of_kind)
    if stop.depends_on is not None:
        wire["depends_on"] = list(stop.depends_on)
    wire.update(stop.extra)
    return wire


def _ordered_bridge(filled: Mapping[str, Any]) -> dict[str, Any]:
    return {"bridge_type": filled["bridge_type"]} | _BLANK_BRIDGE | dict(filled)


def _parts(stop: PitStop) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Wire kind, the stop's own fields, its bridge's own fields."""
    match stop:
        case RouteInfo():
            link = {
                "bridge_type": stop.transition,
                "target_url": stop.link_url,
                "search_query": stop.search_query,
                "expected_result_url": stop.search_result_url,
            }
            return "page", {}, link
        case Roadblock():
            chain = [_wire_step(step) for step in stop.chain]
            return "tool", {}, {"bridge_type": "tool_call", "tool_chain": chain}
        case Detour():
            own = {
                "reason_transform": stop.transform,
                "reason_source_stop": stop.source,
                "reason_code": stop.code,
            }
            return "reason", own, {"bridge_type": "compute"}
        case FinishLine():
            bridge = {
                "bridge_type": "compute",
                "expression": stop.expression,
                "expression_code": stop.code,
                "referenced_stops": list(stop.operands),
            }
            return "compute", {}, bridge


def _wire_step(step: ChainStep) -> dict[str, Any]:
    return {
        "tool_name": step.tool,
        "arguments": dict(step.arguments),
        "expected_output": step.expected_output,
        "output_key": step.output_key,
    } | dict(step.extra)


def _route_info(wire: WireStop, where: str) -> RouteInfo:
    bridge = wire["bridge"]
    if not wire["page_url"]:
        _refuse_empty(wire, where, "page_url")
    return RouteInfo(
        transition=bridge["bridge_type"],
        link_url=bridge["target_url"],
        search_query=bridge["search_query"],
        search_result_url=bridge["expected_result_url"],
        **_shared(wire),
    )


def _roadblock(wire: WireStop, where: str) -> Roadblock:
    chain = wire["bridge"]["tool_chain"]
    if not chain:
        _refuse_empty(wire, where, "bridge.tool_chain")
    return Roadblock(chain=tuple(map(_step, chain)), **_shared(wire))


def _detour(wire: WireStop, where: str) -> Detour:
    transform, source = wire["reason_transform"], wire["reason_source_stop"]
    if transform is None:
        _refuse_empty(wire, where, "reason_transform")
    if source is None:
        _refuse_empty(wire, where, "reason_source_stop")
    return Detour(transform=transform, source=source, code=wire["reason_code"], **_shared(wire))


def _finish_line(wire: WireStop, where: str) -> FinishLine:
    bridge = wire["bridge"]
    if not bridge["expression"]:
        _refuse_empty(wire, where, "bridge.expression")
    return FinishLine(
        expression=bridge["expression"],
        operands=tuple(bridge["referenced_stops"]),
        code=bridge["expression_code"],
        **_shared(wire),
    )


_MAKERS: Mapping[str, Callable[[WireStop, str], PitStop]] = {
    "page": _route_info,
    "tool": _roadblock,
    "reason": _detour,
    "compute": _finish_line,
}


def _refuse_empty(wire: WireStop, where: str, field: str) -> NoReturn:
    problem = f"empty; a stop of type {wire['stop_type']!r} needs it"
    raise LegError(problem, where=where, stop=wire["index"], field=field)


def _step(wire: WireStep) -> ChainStep:
    known = len(wire) == len(_STEP)
    return ChainStep(
        tool=wire["tool_name"],
        arguments=wire["arguments"],
        output_key=wire["output_key"],
        expected_output=wire["expected_output"],
        extra={} if known else {k: v for k, v in wire.items() if k not in _STEP},
    )


def _shared(wire: WireStop) -> dict[str, Any]:
    """The constructor arguments that all four kinds have."""
    stop_fields, bridge_fields = _USED[wire["stop_type"]]
    depends_on = wire.get("depends_on")
    return {
        "index": wire["index"],
        "value": wire["extracted_value"],
        "value_type": wire["extracted_value_type"],
        "page_url": wire["page_url"],
        "target": wire["extraction_target"],
        "section": wire["extraction_section"],
        "reasoning": wire["reasoning"],
        "depends_on": None if depends_on is None else tuple(depends_on),
        "extra": stop_fields.unused(cast("Mapping[str, Any]", wire)),
        "bridge_extra": bridge_fields.unused(cast("Mapping[str, Any]", wire["bridge"])),
    }


class _Fields:
    """What a record of one kind takes from a wire object whose other known fields are `blank`."""

    def __init__(self, known: Iterable[str], blank: Mapping[str, Any]) -> None:
        self._known = frozenset(known)
        self._may_lack_one = "depends_on" in self._known
        self._blank = dict(blank)
        self._values = itemgetter(*blank) if blank else lambda _: ()
        self._blank_values = tuple(blank.values())

    def unused(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """What the record has no place for: unknown fields, and filled ones of other kinds."""
        # Nearly always nothing, and 25,000 stops pass here in collection: hence this test first.
        size = len(fields) + (self._may_lack_one and "depends_on" not in fields)
        if size == len(self._known) and self._values(fields) == self._blank_values:
            return {}
        return {
            name: value
            for name, value in fields.items()
            if (name not in self._known or (name in self._blank and value != self._blank[name]))
        }


def _fields_used(reason: Iterable[str], bridge: Iterable[str]) -> tuple[_Fields, _Fields]:
    return (
        _Fields(
            WireStop.__annotations__, {k: v for k, v in _BLANK_STOP.items() if k not in reason}
        ),
        _Fields(
            WireBridge.__annotations__, {k: v for k, v in _BLANK_BRIDGE.items() if k not in bridge}
        ),
    )


_USED = {
    "page": _fields_used((), ("target_url", "search_query", "expected_result_url")),
    "tool": _fields_used((), ("tool_chain",)),
    "reason": _fields_used(("reason_transform", "reason_source_stop", "reason_code"), ()),
    "compute": _fields_used((), ("expression", "expression_code", "referenced_stops")),
}
