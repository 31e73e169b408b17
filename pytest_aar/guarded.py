"""Every file that the plugin keeps is written here: looked through for secrets, then written whole or not at all.

Cassettes and their journals, traces, results, `run.json`, baselines. Callers redact what they know;
what is still in the bytes refuses the write, and nothing of it is left on the disk. A test sees to it
that no other module writes files that stay.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from pytest_aar.errors import ConfigurationError, SecretFound
from pytest_aar.secrets import Secrets
from pytest_aar.settings import Settings


def secrets_of(settings: Settings) -> Secrets:
    """The secrets of a run: the environment's, and those among the values of its options."""
    return Secrets.of(
        options={
            "--aar-agent-option": settings.agent_options,
            "--aar-model-option": settings.model_options,
            "--aar-services": settings.services,
            "--aar-base-url": {"url": settings.base_url or ""},
        }
    )


def check(path: Path, data: bytes, secrets: Secrets | None = None) -> None:
    """Refuse bytes that hold a secret; `secrets` None: those of the environment.

    Raises:
        SecretFound: naming the file and the kinds of what was found, never a value.
    """
    found = (Secrets.of() if secrets is None else secrets).find(data)
    if found:
        raise SecretFound(
            f"{path}: not written, it would hold {', '.join(found)}. Keep secrets out of prompts, tool "
            "arguments, pages and the agent's environment; revoke what is real, then race again."
        )


def write_file(path: Path, data: bytes | str, *, secrets: Secrets | None = None) -> None:
    """Give a file its content, whole or not at all; its folder must be there.

    A link stays one, and what is no file (`/dev/stdout`) is written to.

    Raises:
        SecretFound, OSError: nothing was written, the file is as it was.
    """
    data = data.encode() if isinstance(data, str) else data
    if path.exists() and not path.is_file() and not path.is_dir():
        check(path, data, secrets)
        path.write_bytes(data)
    else:
        write_files({Path(os.path.realpath(path)): data}, secrets=secrets)


@contextmanager
def told_if_unwritable(path: Path, advice: str) -> Iterator[None]:
    """Around the writing of a file that a command was asked for.

    Raises:
        ConfigurationError: it could not be written; `advice` says what to do.
    """
    try:
        yield
    except OSError as error:
        raise ConfigurationError(
            f"can't write {path}: {error.strerror or error}; {advice}"
        ) from error


def write_files(
    contents: Mapping[Path, bytes],
    *,
    secrets: Secrets | None = None,
    unpacked: Mapping[Path, bytes] | None = None,
) -> None:
    """Give each file its new content: all on disk first, then renamed in the given order.

    `unpacked` is what packed contents hold, for the search.

    Raises:
        SecretFound: nothing was written.
        OSError: nothing was renamed, or (a crash between two renames) the next reader can go on
            from the temporary file that is left.
    """
    secrets = Secrets.of() if secrets is None else secrets
    for path, data in contents.items():
        check(path, (unpacked or {}).get(path, data), secrets)
    try:
        for path, data in contents.items():
            _write_synced(temporary(path), data)
    except OSError:
        for path in contents:
            temporary(path).unlink(missing_ok=True)
        raise
    for path in contents:
        os.replace(temporary(path), path)
    for folder in {path.parent for path in contents}:
        _sync_folder(folder)


def append(
    handle: int,
    data: bytes,
    *,
    path: Path,
    secrets: Secrets | None = None,
    unpacked: bytes | None = None,
) -> None:
    """Add to an open file: all of it or nothing.

    Raises:
        SecretFound, OSError: nothing was added.
    """
    check(path, data if unpacked is None else unpacked, secrets)
    before = os.fstat(handle).st_size
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[os.write(handle, rest) :]
    except OSError:
        with suppress(OSError):  # a device has no length; the first error is the one to tell
            os.ftruncate(handle, before)
        raise


def temporary(path: Path) -> Path:
    """Where the next content of `path` is built; always the same name, writers are alone."""
    return path.with_name(f".{path.name}.tmp")


def _write_synced(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
