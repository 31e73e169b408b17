"""What a leg must keep beyond the shape of its fields: references, order, one finish line."""

from collections.abc import Iterable, Sequence
from graphlib import CycleError, TopologicalSorter
from math import isfinite

from pytest_aar.errors import LegError
from pytest_aar.leg import Detour, FinishLine, PitStop, Roadblock
from pytest_aar.leg.placeholders import AS_ORIGINS_DESTINATIONS, PLACEHOLDERS, references
from pytest_aar.leg.route import previous_stops
from pytest_aar.transforms import TRANSFORMS


def check(stops: Sequence[PitStop], where: str) -> None:
    """Raises LegError for the first rule that the stops break."""
    _check_indexes(stops, where)
    _check_finish_line(stops, where)
    _check_route(stops, where)
    earlier_outputs: set[str] = set()
    for stop in stops:
        _check_numbers(stop, where)
        match stop:
            case Detour():
                _check_detour(stop, where)
            case Roadblock():
                _check_earlier(stop, stop.bridge_extra.get("referenced_stops", ()), where)
                _check_chain(stop, earlier_outputs, where)
            case FinishLine():
                _check_earlier(stop, stop.operands, where)


def _check_indexes(stops: Sequence[PitStop], where: str) -> None:
    seen: set[int] = set()
    for position, stop in enumerate(stops):
        if stop.index in seen:
            raise LegError(
                f"duplicate: an earlier stop has the index {stop.index} too",
                where=where,
                stop=stop.index,
                field="index",
            )
        seen.add(stop.index)
        if stop.index != position:
            raise LegError(
                f"should be {position}: indexes count the stops from 0 in their order",
                where=where,
                stop=stop.index,
                field="index",
            )


def _check_finish_line(stops: Sequence[PitStop], where: str) -> None:
    finish_lines = [stop.index for stop in stops if isinstance(stop, FinishLine)]
    if not finish_lines:
        problem = "no finish line: the last stop must have the type 'compute'"
        raise LegError(problem, where=where, stop=stops[-1].index, field="stop_type")
    if len(finish_lines) > 1:
        problem = f"{len(finish_lines)} finish lines (stops {_listed(finish_lines)}); a leg has one"
        raise LegError(problem, where=where, stop=finish_lines[1], field="stop_type")
    if finish_lines[0] != stops[-1].index:
        problem = f"the finish line must be the last stop, which is {stops[-1].index}"
        raise LegError(problem, where=where, stop=finish_lines[0], field="stop_type")


def _check_route(stops: Sequence[PitStop], where: str) -> None:
    backward = True
    for stop in stops:
        for before in stop.depends_on or ():
            if not 0 <= before < len(stops):
                problem = f"there is no stop {before}; stops are 0 to {len(stops) - 1}"
                raise LegError(problem, where=where, stop=stop.index, field="depends_on")
            backward = backward and before < stop.index
    if not backward:
        _check_acyclic(stops, where)


def _check_acyclic(stops: Sequence[PitStop], where: str) -> None:
    try:
        TopologicalSorter({stop.index: previous_stops(stop) for stop in stops}).prepare()
    except CycleError as error:
        cycle = [int(index) for index in error.args[1]]
        problem = f"cyclic: {' -> '.join(map(str, cycle))}"
        raise LegError(problem, where=where, stop=max(cycle), field="depends_on") from error


def _check_detour(stop: Detour, where: str) -> None:
    if stop.transform not in TRANSFORMS:
        problem = f"unknown transform {stop.transform!r}; there are: {', '.join(TRANSFORMS)}"
        raise LegError(problem, where=where, stop=stop.index, field="reason_transform")
    if not 0 <= stop.source < stop.index:
        problem = f"should be an earlier stop (0 to {stop.index - 1}), found {stop.source}"
        raise LegError(problem, where=where, stop=stop.index, field="reason_source_stop")


def _check_earlier(stop: PitStop, operands: Iterable[int], where: str) -> None:
    for operand in operands:
        if not 0 <= operand < stop.index:
            problem = f"should hold earlier stops (0 to {stop.index - 1}), found {operand}"
            raise LegError(problem, where=where, stop=stop.index, field="bridge.referenced_stops")


def _check_chain(stop: Roadblock, earlier_outputs: set[str], where: str) -> None:
    """Each placeholder names an output of this chain's earlier calls or of an earlier roadblock."""
    for position, step in enumerate(stop.chain):
        field = f"bridge.tool_chain[{position}].arguments"
        for name in PLACEHOLDERS:
            if name in step.arguments and not _names_keys(step.arguments[name]):
                problem = (
                    f"should be an output key or a list of them, found {step.arguments[name]!r}"
                )
                raise LegError(problem, where=where, stop=stop.index, field=f"{field}.{name}")
        for key in references(step.arguments):
            if key not in earlier_outputs:
                problem = f"no earlier call yields {key!r}"
                raise LegError(problem, where=where, stop=stop.index, field=field)
        _check_pair(stop, position, where)
        if step.output_key is not None:
            earlier_outputs.add(step.output_key)


def _check_pair(stop: Roadblock, position: int, where: str) -> None:
    pair = stop.chain[position].arguments.get(AS_ORIGINS_DESTINATIONS)
    if pair is not None and (isinstance(pair, str) or len(pair) != len("AB")):
        raise LegError(
            f"should name two outputs, origin and destination, found {pair!r}",
            where=where,
            stop=stop.index,
            field=f"bridge.tool_chain[{position}].arguments.{AS_ORIGINS_DESTINATIONS}",
        )


def _check_numbers(stop: PitStop, where: str) -> None:
    """No number that is too large for a float (1e999): it would have become infinity."""
    values = {"extracted_value": stop.value}
    if isinstance(stop, Roadblock):
        for position, step in enumerate(stop.chain):
            place = f"bridge.tool_chain[{position}].arguments"
            values |= {f"{place}.{name}": value for name, value in step.arguments.items()}
    for field, value in values.items():
        if not _is_finite(value):
            problem = f"should be a finite number, found {value!r}: it is beyond what a float holds"
            raise LegError(problem, where=where, stop=stop.index, field=field)


def _is_finite(value: object) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    return not isinstance(value, list) or all(map(_is_finite, value))


def _names_keys(named: object) -> bool:
    if isinstance(named, list):
        return all(isinstance(key, str) for key in named)
    return isinstance(named, str)


def _listed(indexes: Iterable[int]) -> str:
    return ", ".join(map(str, indexes))
