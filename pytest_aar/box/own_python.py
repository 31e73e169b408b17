"""The Python of a box: a virtual environment without packages over the base interpreter, the same on every machine.

The base interpreter by its own name would run, at each start, whatever lines the `.pth` files of its packages hold:
three quarters of what a call of `tools.py` costs, on a machine with many.
"""

import os
import platform
import sys
from collections.abc import Mapping
from pathlib import Path

from pytest_aar.processes import base_interpreter

_CONFIG, _BIN = "pyvenv.cfg", "bin"


def bin_folder(folder: str | Path) -> str:
    """What of such a folder stands on the PATH."""
    return f"{folder}/{_BIN}"


def python_files() -> Mapping[str, str]:
    """Its files: path in the folder -> content."""
    lines = (
        f"home = {os.path.dirname(base_interpreter())}",
        "include-system-site-packages = false",
        f"version = {platform.python_version()}",
    )
    return {_CONFIG: "".join(f"{line}\n" for line in lines)}


def python_links() -> Mapping[str, str]:
    """Its links: path in the folder -> target."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    names = dict.fromkeys((f"{_BIN}/python", f"{_BIN}/{version}"), "python3")
    return {f"{_BIN}/python3": base_interpreter(), **names}


def put_python(folder: Path) -> None:
    """Make the folder with all of it on the disk.

    Raises:
        OSError: it is there already, or can't be written.
    """
    (folder / _BIN).mkdir(parents=True)
    for name, text in python_files().items():
        (folder / name).write_bytes(os.fsencode(text))
    for name, target in python_links().items():
        (folder / name).symlink_to(target)
