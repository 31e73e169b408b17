"""Recipes that ask no service: Python computes something new from what earlier stops gave."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date

from pytest_aar.leg import ChainStep

from .conversions import Conversion
from .draft import Question, Ref
from .templates import Recipe


def days_between(source: str, start: date, until: date) -> Recipe:
    """Whole days between an earlier stop's date and a day that the clue names."""
    code = (
        "from datetime import date\n"
        f"d1 = date.fromisoformat('{start.isoformat()}')\n"
        f"d2 = date.fromisoformat('{until.isoformat()}')\n"
        "result = abs((d2 - d1).days)\nprint(result)"
    )
    slots: Mapping[str, str | Ref] = {
        "date": Ref(key=source, what="value", noun="bare"),
        "until": until.isoformat(),
    }
    target = f"Days between the date of an earlier stop and {until.isoformat()}"
    made = _python("date_computation", code, "days", slots, target, source)
    return replace(made, value=abs((until - start).days))


def converted(source: str, value: float, conversion: Conversion) -> Recipe:
    """An earlier stop's figure in another unit, cut to the whole part."""
    code = (
        f"# Convert {conversion.start} to {conversion.to}\nvalue = {value!r}\n"
        f"converted = value * {conversion.factor}\nresult = int(converted)\nprint(result)"
    )
    slots: Mapping[str, str | Ref] = {
        "figure": Ref(key=source, what="value"),
        "unit_from": conversion.start,
        "unit_to": conversion.to,
        "unit_one": conversion.one,
        "factor": conversion.factor,
    }
    target = f"Convert {conversion.start} to {conversion.to}"
    made = _python("math_conversion", code, "converted", slots, target, source)
    return replace(made, value=int(value * float(conversion.factor)))


def merge(keys: tuple[str, str], values: tuple[float, float], *, difference: bool) -> Recipe:
    """A diamond's merge: sum or absolute difference of two branches' whole parts."""
    first, second = values
    if difference:
        code = f"result = abs(int({first!r}) - int({second!r}))\nprint(result)"
    else:
        code = f"result = int({first!r}) + int({second!r})\nprint(result)"
    rule = "merge_difference" if difference else "merge_add"
    slots: Mapping[str, str | Ref] = {
        "first": Ref(key=keys[0], what="value", noun="bare"),
        "second": Ref(key=keys[1], what="value", noun="bare"),
    }
    return Recipe(
        template="merge",
        chain=(_run(code, "merged"),),
        question=Question(rule=rule, slots=slots),
        target="Absolute difference of the branches" if difference else "Sum of the branches",
        sources=keys,
        code=code,
        value=abs(int(first) - int(second)) if difference else int(first) + int(second),
    )


def _python(
    template: str,
    code: str,
    output_key: str,
    slots: Mapping[str, str | Ref],
    target: str,
    source: str,
) -> Recipe:
    return Recipe(
        template=template,
        chain=(_run(code, output_key),),
        question=Question(rule=template, slots=slots),
        target=target,
        sources=(source,),
        code=code,
    )


def _run(code: str, output_key: str) -> ChainStep:
    return ChainStep(tool="python_execute_code", arguments={"code": code}, output_key=output_key)
