"""Boxes: where the commands of an agent run. `bwrap` is a sandbox, `none` plain processes with a clean environment."""

from .around import BoxAround
from .box import Box, BoxPlace, CommandResult, CommandSpec, Doors, base_environment, search_path
from .isolation import Isolation, advice, probe
from .late import LateBox
from .making import make_box, tags
from .offline import DEAD_PROXY, OfflineBox
from .own_python import bin_folder
from .plain import PlainBox
from .shell import shell
from .visible import check_programs, check_work_folders

__all__ = [
    "DEAD_PROXY",
    "Box",
    "BoxAround",
    "BoxPlace",
    "CommandResult",
    "CommandSpec",
    "Doors",
    "Isolation",
    "LateBox",
    "OfflineBox",
    "PlainBox",
    "advice",
    "base_environment",
    "bin_folder",
    "check_programs",
    "check_work_folders",
    "make_box",
    "probe",
    "search_path",
    "shell",
    "tags",
]
