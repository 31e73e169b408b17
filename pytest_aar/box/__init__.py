"""Boxes: where the commands of an agent run. `bwrap` is a sandbox, `none` plain processes with a clean environment."""

from .around import BoxAround
from .box import Box, BoxPlace, CommandResult, CommandSpec, Doors, base_environment
from .isolation import Isolation, advice, probe
from .late import LateBox
from .making import make_box, tags
from .offline import DEAD_PROXY, OfflineBox
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
    "check_programs",
    "check_work_folders",
    "make_box",
    "probe",
    "shell",
    "tags",
]
