"""What is wrong with an argument, in words that tell what was expected; pydantic's own are for programmers."""

import json
from collections.abc import Callable, Mapping
from typing import Any

_PREFIX = "Value error, "
_POINT = 'expected a point, {"latitude": NUMBER, "longitude": NUMBER} or "LATITUDE,LONGITUDE"'
_WHOLE, _NUMBER, _YES_OR_NO = (
    "expected a whole number",
    "expected a number",
    "expected true or false",
)

#: Type of a problem -> its words, from what pydantic knows of the limit.
_WORDS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    **dict.fromkeys(("string_type", "string_unicode"), lambda _: "expected text"),
    "string_too_short": lambda _: "expected some text",
    "string_too_long": lambda known: f"expected at most {known['max_length']} characters",
    **dict.fromkeys(
        ("int_type", "int_parsing", "int_parsing_size", "int_from_float"), lambda _: _WHOLE
    ),
    **dict.fromkeys(("float_type", "float_parsing"), lambda _: _NUMBER),
    "finite_number": lambda _: "expected a finite number",
    "greater_than": lambda known: f"{_NUMBER} above {known['gt']:g}",
    "greater_than_equal": lambda known: f"{_NUMBER} from {known['ge']:g}",
    "less_than": lambda known: f"{_NUMBER} below {known['lt']:g}",
    "less_than_equal": lambda known: f"{_NUMBER} up to {known['le']:g}",
    **dict.fromkeys(("bool_type", "bool_parsing"), lambda _: _YES_OR_NO),
    "list_type": lambda _: "expected a list",
    "too_short": lambda known: f"expected a list of {known['min_length']} or more",
    "too_long": lambda known: f"expected a list of at most {known['max_length']}",
    "literal_error": lambda known: f"expected {known['expected']}",
    **dict.fromkeys(("model_type", "model_attributes_type", "dict_type"), lambda _: _POINT),
}


def in_words(problem: Mapping[str, Any], takes: str) -> str:
    """One wrong argument: name, what was expected, what came. `takes`: the arguments that the tool has."""
    place, kind = _place(problem["loc"]), problem["type"]
    if kind == "extra_forbidden":
        is_inner = len(problem["loc"]) > 1
        return (
            f"unknown argument {place!r}; it takes {'latitude, longitude' if is_inner else takes}"
        )
    if kind == "missing":
        return f"{place}: missing, it is required"
    message = _message(problem)
    return f"{place}: {message}, got {_brief(problem['input'])}" if place else message


def _message(problem: Mapping[str, Any]) -> str:
    words = _WORDS.get(problem["type"])
    if words is None:
        return str(problem["msg"]).removeprefix(_PREFIX)
    return words(problem.get("ctx", {}))


def _place(location: tuple[int | str, ...]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.lstrip(".")


def _brief(value: Any) -> str:
    """As it came; what JSON writes otherwise than Python, as JSON does."""
    text = json.dumps(value) if isinstance(value, bool | None) else repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."  # noqa: PLR2004 - a line's worth of it
