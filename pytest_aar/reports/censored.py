"""What pytest prints of a race's item, without secrets: failures, captured output, properties."""

from collections.abc import Callable
from typing import Any

Censor = Callable[[str], str]


def censor_report(report: Any, censor: Censor) -> None:
    """Censor a report in place, before anything is printed, sent to the controller or put into JUnit XML."""
    report.longrepr = _censored(report.longrepr, censor)
    report.sections = [(title, censor(text)) for title, text in report.sections]
    report.user_properties = _censored(report.user_properties, censor)


def censor_warning(warning: Warning | str, censor: Censor) -> None:
    """Censor a warning in place."""
    if isinstance(warning, Warning):
        warning.args = _censored(warning.args, censor)


def _censored(value: Any, censor: Censor) -> Any:
    if isinstance(value, str):
        return censor(value)
    if isinstance(value, list):
        return [_censored(each, censor) for each in value]
    if isinstance(value, tuple):
        return tuple(_censored(each, censor) for each in value)
    if hasattr(value, "toterminal"):  # pytest's pictures of exceptions are trees of these
        for name, each in vars(value).items():
            setattr(value, name, _censored(each, censor))
    return value
