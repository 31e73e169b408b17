"""Which files of this machine a command line names: what a box must show for it to run."""

import os
import shlex
import shutil
import sys
from pathlib import Path

_SYSTEM = ("/usr/", "/bin", "/sbin")


def anchored(command: str, start: Path) -> str:
    """Words that name a file relative to the start folder, made absolute: the program runs elsewhere."""
    words = command.split(" ")
    return " ".join(
        shlex.quote(str((start / word).resolve()))
        if word.startswith(("./", "../")) and (start / word).exists()
        else word
        for word in words
    )


def programs_in(line: str, start: Path) -> tuple[Path, ...]:
    """The program, where it is found on the PATH, and every file or folder that a word names as it stands.

    A program of this interpreter's environment needs the whole environment.
    """
    named = (_named(word) for word in _words(line))
    found = dict.fromkeys(path for path in named if path is not None)
    environment = Path(sys.prefix)
    return tuple(
        dict.fromkeys(
            environment if path.is_relative_to(environment) and not _below(path, start) else path
            for path in found
        )
    )


def shown_path(search_path: str, programs: tuple[Path, ...]) -> str:
    """The folders of a PATH that are there where only the system and these programs are."""
    kept = [
        folder
        for folder in search_path.split(":")
        if folder.startswith(_SYSTEM) or any(_meet(Path(folder), path) for path in programs)
    ]
    return ":".join(dict.fromkeys(kept))


def _meet(folder: Path, program: Path) -> bool:
    return folder.is_relative_to(program) or program.parent == folder


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:  # the shell will say what is wrong with it
        return line.split()


def _named(word: str) -> Path | None:
    """The file that a word stands for: a path, the value of an option `--x=PATH`, or a program's name."""
    text = word.partition("=")[2] if word.startswith("-") else word
    if text.startswith("/"):
        path = Path(os.path.normpath(text))
        return path if path.exists() else None
    found = None if "/" in text else shutil.which(text)
    return Path(found) if found else None


def _below(path: Path, start: Path) -> bool:
    """A file of the user's own, though the environment lies around the project."""
    return path.is_relative_to(start) and not Path(sys.prefix).is_relative_to(start)
