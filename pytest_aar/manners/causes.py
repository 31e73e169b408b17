"""What led to an exception."""

from collections.abc import Iterator


def causes(fault: BaseException) -> Iterator[BaseException]:
    """The exception itself, what caused it or came before it, and so on."""
    cause: BaseException | None = fault
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
