"""Reading an agent's answer file without following what the agent may have put in its place."""

import os
import stat
from pathlib import Path

from pytest_aar.trace import Finish, parse_answer

ANSWER_FILE = "answer.txt"
_MOST_BYTES = 64


def read_answer(workdir: Path) -> Finish:
    """The answer in `workdir/answer.txt`, as a Finish: `answered`, or `no-answer` with the reason."""
    try:
        text = _read_plain_file(workdir / ANSWER_FILE)
    except OSError as error:
        return Finish(ending="no-answer", detail=f"no {ANSWER_FILE}: {error.strerror or error}")
    answer = parse_answer(text)
    if answer is None:
        return Finish(
            ending="no-answer", detail=f"{ANSWER_FILE} holds {text[:40]!r}, not one digit"
        )
    return Finish(ending="answered", answer=answer)


def _read_plain_file(path: Path) -> str:
    # No link, no fifo, no device: the file lies where the agent could write anything.
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode) or facts.st_nlink != 1:
            raise OSError(0, "not a regular file with one name")
        if facts.st_size > _MOST_BYTES:
            raise OSError(0, f"{facts.st_size} bytes, more than {_MOST_BYTES}")
        return os.read(handle, _MOST_BYTES).decode("utf-8", errors="replace")
    finally:
        os.close(handle)
