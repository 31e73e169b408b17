"""What an agent with a shell finds in its working directory."""

from pathlib import Path

TASK_FILE = "task.md"
CLIENT_FILE = "tools.py"


def furnish(workdir: Path, prompt: str) -> None:
    """Put `task.md` and the standalone `tools.py` there; files of these names are replaced."""
    from pytest_aar.tools import client_source  # noqa: PLC0415 - only agents with a shell need it

    put_task(workdir, prompt)
    (workdir / CLIENT_FILE).write_text(client_source(), encoding="utf-8")


def put_task(workdir: Path, prompt: str) -> None:
    """Put `task.md` alone there, for agents that get their tools otherwise."""
    workdir.mkdir(parents=True, exist_ok=True)
    (workdir / TASK_FILE).write_text(prompt, encoding="utf-8")
