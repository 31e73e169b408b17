"""The command line of bubblewrap for one race: what its programs see, and nothing else."""

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Literal

from pytest_aar.errors import InfrastructureError

Form = Literal["user", "root"]

#: Who the agent is inside, in both forms: a user without rights, `agent` by name.
AGENT_USER = 65534
RACE, HOME = "/race", "/home/agent"
SERVER, SOCKET = "/run/aar/inside", "/run/aar/gateway.sock"
#: The folder of the box's own Python.
PYTHON = "/run/aar/python"
PORT = 8080
_MB = 1 << 20
_PRIVATE = (("/tmp", 512 * _MB), ("/dev/shm", 64 * _MB), (HOME, 512 * _MB))
_ALREADY = frozenset(("/", "/tmp", "/dev", "/dev/shm", "/proc", "/usr", HOME))

#: Small files that programs expect, the same on every machine.
ETC = {
    "/etc/passwd": f"root:x:0:0:root:/root:/bin/sh\nagent:x:{AGENT_USER}:{AGENT_USER}::{HOME}:/bin/sh\n",
    "/etc/group": f"root:x:0:\nagent:x:{AGENT_USER}:\n",
    "/etc/hosts": "127.0.0.1 localhost aar\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """What this machine has of the system's folders and files: links with their target, and what is bound."""

    links: Mapping[str, str] = field(default_factory=dict)
    bound: tuple[str, ...] = ("/usr",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cage:
    """All that one sandbox is made of.

    `programs` are seen at their own path, read-only; `masks` are folders that are empty inside, each bound
    after what holds it. `files` maps paths inside to the descriptor with their content, `links` to their
    target. `server` is the command server's folder, `socket` the gateway's. `info` and `seccomp` are descriptors:
    where bwrap tells of its child, and a filter of system calls.
    """

    bwrap: str
    form: Form
    system: System
    workdir: str
    server: str
    socket: str | None
    programs: tuple[str, ...]
    masks: tuple[str, ...]
    files: Mapping[str, int]
    links: Mapping[str, str]
    info: int
    seccomp: int | None = None


def program_path() -> str:
    """Where bwrap is; raises InfrastructureError when it is gone since it was tried."""
    found = shutil.which("bwrap")
    if found is None:
        raise InfrastructureError("bwrap is no longer on the PATH")
    return found


def bwrap_argv(cage: Cage, command: Iterable[str]) -> list[str]:
    """The command line of bwrap. Its own environment must be clean already: it is kept as it is."""
    return [
        cage.bwrap,
        *namespaces(cage.form),
        *("--info-fd", str(cage.info)),
        *(() if cage.seccomp is None else ("--seccomp", str(cage.seccomp))),
        *parents((HOME, SOCKET, *cage.files, *cage.links, *cage.system.bound)),
        *system_folders(cage.system),
        *private_folders(_PRIVATE),
        *parents(cage.programs),  # some may lie below the private /tmp
        *programs_and_masks(cage.programs, cage.masks),
        *_race(cage),
        # File systems in memory, without a limit of their own.
        *read_only((*cage.masks, "/dev", "/")),
        *("--chdir", RACE, "--"),
        *(root_no_more(AGENT_USER) if cage.form == "root" else ()),
        *command,
    ]


def namespaces(form: Form) -> list[str]:
    """Namespaces of its own for everything, and the rights that are left."""
    argv = ["--as-pid-1", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    argv += ["--unshare-cgroup-try", "--die-with-parent", "--new-session", "--hostname", "aar"]
    argv += ["--cap-drop", "ALL"]
    if form == "user":
        ids = ["--uid", str(AGENT_USER), "--gid", str(AGENT_USER)]
        return [*argv, "--unshare-user", *ids, "--disable-userns", "--assert-userns-disabled"]
    # For setpriv, which gives them up.
    for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):
        argv += ["--cap-add", capability]
    return argv


def root_no_more(user: int) -> tuple[str, ...]:
    """The root form's last step before the program: another user, who can't get anything back."""
    return (
        *("/usr/bin/setpriv", f"--reuid={user}", f"--regid={AGENT_USER}", "--clear-groups"),
        *("--no-new-privs", "--inh-caps=-all", "--bounding-set=-all", "--"),
    )


def system_folders(system: System) -> list[str]:
    """The system's folders, /proc and /dev."""
    argv: list[str] = []
    for path in system.bound:
        argv += ["--ro-bind", path, path]
    argv += _links(system.links)
    # Root without a capability still owns the files of /proc/sys: in the user form they could be written.
    return [*argv, "--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"]


def _links(links: Mapping[str, str]) -> list[str]:
    return [word for path, target in links.items() for word in ("--symlink", target, path)]


def private_folders(sizes: Iterable[tuple[str, int]]) -> list[str]:
    """Folders in memory that anybody inside can write, each with its size in bytes."""
    argv: list[str] = []
    for path, size in sizes:
        argv += ["--size", str(size), "--perms", "1777", "--tmpfs", path]
    return argv


def parents(paths: Iterable[str]) -> list[str]:
    """Folders that bwrap would otherwise make for root alone."""
    made = dict.fromkeys(
        str(parent) for path in paths for parent in reversed(PurePosixPath(path).parents)
    )
    inner = (path for path in made if path not in _ALREADY and not path.startswith("/usr/"))
    return [word for path in inner for word in _folder(path)]


def _folder(path: str) -> list[str]:
    return ["--perms", "0755", "--dir", path]


def programs_and_masks(programs: tuple[str, ...], masks: tuple[str, ...]) -> list[str]:
    """What is shown within a masked folder comes after its mask, what is masked within a program after that."""
    within = [mask for mask in masks if _holds(programs, mask)]
    around = [mask for mask in masks if mask not in within]
    argv = [word for mask in around for word in _masked(mask)]
    argv += [word for path in _folders_between(around, programs) for word in _folder(path)]
    for path in programs:
        argv += ["--ro-bind", path, path]
    return [*argv, *(word for mask in within for word in _masked(mask))]


def _folders_between(masks: Iterable[str], programs: Iterable[str]) -> list[str]:
    """What leads to programs within masks, from the top."""
    found = dict.fromkeys(
        str(parent)
        for path in programs
        for parent in reversed(PurePosixPath(path).parents)
        if any(PurePosixPath(mask) in parent.parents for mask in masks)
    )
    return list(found)


def read_only(paths: Iterable[str]) -> list[str]:
    """No more writing, once everything has its place."""
    return [word for path in paths for word in ("--remount-ro", path)]


def _masked(path: str) -> list[str]:
    return ["--perms", "0755", "--tmpfs", path]


def _holds(programs: tuple[str, ...], path: str) -> bool:
    return any(PurePosixPath(path).is_relative_to(program) for program in programs)


def _race(cage: Cage) -> list[str]:
    argv = ["--bind", cage.workdir, RACE, "--ro-bind", cage.server, SERVER]
    if cage.socket is not None:
        argv += ["--ro-bind", cage.socket, SOCKET]
    for path, descriptor in cage.files.items():
        argv += ["--perms", "0644", "--file", str(descriptor), path]
    return [*argv, *_links(cage.links)]
