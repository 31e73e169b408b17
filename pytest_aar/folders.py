"""Folders that a run writes in and removes, whatever was left in them; and those of runs that were killed.

Some belong to one process (`work_folder`), others are shared by all of a run (`join`).

An agent owns what lies in its work folder: trees deeper than any recursion, folders that can't be read, mounts.
None of that may keep a race's result from being told, so removal never raises.
"""

import fcntl
import logging
import os
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from pathlib import Path

PREFIX = "aar-"
#: Of the folders that the processes of one run share.
SHARED = "aar-shared-"
#: Seconds for which such a folder may be nobody's: a worker that died is replaced.
_BETWEEN = 3600.0
#: Written when the lock is held: a folder without it is another program's, or not yet locked.
_NOTE = "owner"
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
#: Descriptors that removing takes: kept, so that a full table does not stop it.
_RESERVE = 2
_log = logging.getLogger("pytest_aar")


@contextmanager
def work_folder(prefix: str = PREFIX, *, place: Path | None = None) -> Iterator[Path]:
    """A new folder, `place` (default: the one for temporary files) resolved; gone after the block.

    It holds a note of its owner: give what is not trusted a folder inside. What can't be removed is logged
    as a warning.
    """
    path = Path(tempfile.mkdtemp(prefix=prefix, dir=place)).resolve()
    with ExitStack() as stack:
        # Opened now: the path may lead to another folder by the time that this one is removed.
        root = _opened(path)
        stack.callback(os.close, root)
        reserve = ExitStack()
        try:
            _claim(root)
            for _ in range(_RESERVE):
                reserve.callback(os.close, os.dup(root))
            yield path
        finally:
            reserve.close()
            _remove(root, path)


def join(path: Path) -> Callable[[], None]:
    """Be one of the processes that share a folder, made if it is missing; what is given ends that.

    While one of them lives, no `sweep_once` takes the folder.
    """
    while True:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        root = os.open(path, _OPEN)
        with suppress(OSError):  # where there are no locks
            fcntl.flock(root, fcntl.LOCK_SH)
        if _is_at(path, root):
            os.utime(root)  # whoever sweeps sees that it is not old
            return partial(os.close, root)
        os.close(root)  # a sweep took it meanwhile


def _is_at(path: Path, root: int) -> bool:
    try:
        return os.path.samestat(os.fstat(root), path.lstat())
    except FileNotFoundError:
        return False


@cache
def sweep_once(place: Path | None = None) -> None:
    """Once per process: remove the folders of this user whose owners were killed."""
    for path in Path(place or tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # gone meanwhile, not a folder, another user's
            _sweep(path)


def _sweep(path: Path) -> None:
    root = os.open(path, _OPEN)
    try:
        found = os.fstat(root)
        is_shared = path.name.startswith(SHARED)
        is_left = (
            time.time() - found.st_mtime > _BETWEEN if is_shared else _NOTE in os.listdir(root)
        )
        if is_left and found.st_uid == os.geteuid() and _locked(root):
            _remove(root, path)
    finally:
        os.close(root)


def _opened(path: Path) -> int:
    try:
        return os.open(path, _OPEN)
    except OSError:  # a full table
        path.rmdir()
        raise


def _claim(root: int) -> None:
    """Lock the folder for as long as this process lives, and say so in it.

    The kernel knows better than a noted pid whether an owner lives: pids come again, and are others in
    another container that has the same folder for temporary files.
    """
    if _locked(root):
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        with os.fdopen(os.open(_NOTE, flags, 0o600, dir_fd=root), "w") as note:
            note.write(f"{os.getpid()}\n")


def _locked(root: int) -> bool:
    """Whether the folder is this process's now; no where another has it, or where there are no locks."""
    try:
        fcntl.flock(root, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove(root: int, path: Path) -> None:
    try:
        left = _emptied(root)
        if not left:
            path.rmdir()
    except Exception as error:  # noqa: BLE001 - no race may be lost over what its agent left lying about
        left = [str(error)]
    if left:
        _log.warning("%s: not removed (%d problems, the first: %s)", path, len(left), left[0])


def _emptied(root: int) -> list[str]:
    """Remove all that is in a folder; what can't be removed.

    Each folder is moved into the topmost one before its entries are looked at. So no depth needs recursion or
    more than two descriptors, no `..` is followed, and nothing behind a mount is touched: it can't be moved.
    """
    os.fchmod(root, 0o700)
    removal = _Removal(root)
    for name, is_folder in _entries(root):
        removal.take(root, name, is_folder=is_folder)
    while removal.folders:
        removal.empty(removal.folders.pop())
    return removal.left


class _Removal:
    """`folders`: names, in the root, of those still to be emptied; `left`: what went wrong."""

    def __init__(self, root: int) -> None:
        self.folders: list[str] = []
        self.left: list[str] = []
        self._root = root
        self._mark, self._count = secrets.token_hex(4), 0

    def take(self, parent: int, name: str, *, is_folder: bool) -> None:
        """Remove a file, or move a folder into the root."""
        try:
            if is_folder:
                self._move(parent, name)
            else:
                os.unlink(name, dir_fd=parent)
        except OSError as error:
            self.left.append(f"{name[:80]!r}: {error.strerror}")

    def empty(self, name: str) -> None:
        """Remove what is in one of `folders`, and itself."""
        try:
            folder = os.open(name, _OPEN, dir_fd=self._root)
            try:
                for each, is_folder in _entries(folder):
                    self.take(folder, each, is_folder=is_folder)
            finally:
                os.close(folder)
            os.rmdir(name, dir_fd=self._root)
        except OSError as error:
            self.left.append(f"a folder: {error.strerror}")

    def _move(self, parent: int, name: str) -> None:
        with suppress(OSError):  # most are not empty
            os.rmdir(name, dir_fd=parent)
            return
        self._count += 1
        moved = f".{self._mark}-{self._count}"
        try:
            os.rename(name, moved, src_dir_fd=parent, dst_dir_fd=self._root)
        except PermissionError:  # moving a folder writes in it; a mount has failed otherwise
            os.chmod(name, 0o700, dir_fd=parent)
            os.rename(name, moved, src_dir_fd=parent, dst_dir_fd=self._root)
        with suppress(OSError):  # another user's: it may be open enough
            os.chmod(moved, 0o700, dir_fd=self._root)
        self.folders.append(moved)


def _entries(folder: int) -> list[tuple[str, bool]]:
    """All at once: removing while reading skips some on some file systems."""
    with os.scandir(folder) as entries:
        return [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
