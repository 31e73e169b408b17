"""A ZIM file: articles by title, and search."""

import importlib.util
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pytest_aar.errors import ConfigurationError

from .edition import SOURCE, Edition, edition_of
from .page import refresh_target
from .titles import bare_title, normal_title, paths_of

#: Of decompressed clusters; libzim's own default is half a gigabyte a process.
_CACHE_BYTES = 32 * 2**20
_MOST_REDIRECTS = 10
#: What libzim raises over damaged bytes: its own faults, paths and titles that are no text, places outside of the
#: file, an index that leads to entries which there are not.
_FAULTS = (RuntimeError, UnicodeDecodeError, LookupError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An article as it lies in the file: `path` is its entry's, `title` the one that redirects lead to."""

    title: str
    path: str
    html: str


class DamagedFileError(Exception):
    """Bytes of the file that can't be read as what they should be; the message says what to do."""


class RedirectLoopError(Exception):
    """Redirects of the file that lead to no article."""


def is_libzim_there() -> bool:
    """Whether the extra `zim` is installed."""
    return importlib.util.find_spec("libzim") is not None


@cache
def open_zim(path: Path) -> "ZimFile":
    """The file, opened once per process.

    Raises:
        ConfigurationError: no libzim, no such file, no whole ZIM file, or one that no leg can be raced over.
    """
    return ZimFile(path)


class ZimFile:
    """A file that was looked at and found fit. A forked process opens it anew at its first use."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock, self._pid, self._opened = threading.Lock(), os.getpid(), opened(path)
        self.edition: Edition = edition_of(
            path,
            _metadata(self._opened, path),
            self._opened.checksum if self._opened.has_checksum else f"uuid-{self._opened.uuid}",
        )
        self.has_old_namespaces = not self._opened.has_new_namespace_scheme

    @property
    def _archive(self) -> Any:
        if self._pid != os.getpid():
            self._lock, self._pid, self._opened = threading.Lock(), os.getpid(), opened(self.path)
        return self._opened

    def find(self, title: str) -> Found | None:
        """The article of that name, redirects followed; None without one.

        Raises:
            RedirectLoopError: its redirects lead nowhere.
            DamagedFileError: the article can't be read.
        """
        archive = self._archive
        with self._lock, self._readable():
            entry = self._entry(archive, title)
            return None if entry is None else self._final(archive, entry)

    def near(self, title: str, most: int = 5) -> list[str]:
        """Titles that resemble this one, best first.

        Raises:
            DamagedFileError: the file's indexes of titles or words can't be read.
        """
        wanted = normal_title(title)
        archive = self._archive
        with self._lock, self._readable():
            found = _suggested(archive, wanted, most)
            if not found:
                found = _searched(archive, wanted, most) or _suggested(
                    archive, wanted.split(" ")[0], most
                )
            return list(dict.fromkeys(self._title(path) for path in found))

    def search(self, query: str, most: int) -> list[Found]:
        """Articles that hold the words, by the file's full text index, else by titles; best first.

        Raises:
            DamagedFileError: one of them can't be read.
        """
        archive = self._archive
        with self._lock, self._readable():
            paths = _searched(archive, query, most) or _suggested(archive, query, most)
            entries = (archive.get_entry_by_path(path) for path in paths)
            found = [self._final(archive, entry) for entry in entries]
        return list({each.path: each for each in found if each is not None}.values())

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except _FAULTS as error:  # a page's cluster, an entry, or an index
            raise DamagedFileError(
                f"{self.path.name} is damaged ({error}): compare it with the checksum beside the download, and get "
                "it again"
            ) from error

    def _entry(self, archive: Any, title: str) -> Any:
        wanted = normal_title(title)
        for path in paths_of(wanted, has_old_namespaces=self.has_old_namespaces):
            if archive.has_entry_by_path(path):
                return archive.get_entry_by_path(path)
        if archive.has_entry_by_title(wanted):
            return archive.get_entry_by_title(wanted)
        for path in _suggested(archive, wanted, 10):
            if self._title(path).casefold() == wanted.casefold():
                return archive.get_entry_by_path(path)
        return None

    def _final(self, archive: Any, entry: Any) -> Found | None:
        """The article behind redirects: entries of their own, and pages that send a browser on."""
        seen: list[str] = []
        while len(seen) <= _MOST_REDIRECTS and entry.path not in seen:
            seen.append(entry.path)
            if entry.is_redirect:
                entry = entry.get_redirect_entry()
                continue
            item = entry.get_item()
            if not item.mimetype.startswith("text/html"):
                return None
            html = bytes(item.content).decode("utf-8", "replace")
            target = refresh_target(html, entry.path)
            if target is None:
                return Found(title=self._title(entry.path), path=entry.path, html=html)
            if not archive.has_entry_by_path(target):
                return None
            entry = archive.get_entry_by_path(target)
        raise RedirectLoopError(" -> ".join([*seen, entry.path]))

    def _title(self, path: str) -> str:
        return bare_title(path, has_old_namespaces=self.has_old_namespaces)


_KEYS = ("Name", "Title", "Date", "Flavour", "Language", "Tags", "Source")


def opened(path: Path) -> Any:
    """The archive of the file.

    Raises:
        ConfigurationError: says what is the matter, and what to do.
    """
    if not is_libzim_there():
        raise ConfigurationError(
            f"zim:{path} needs libzim, which is not installed: pip install 'pytest-aar[zim]' (libzim is under "
            "the GPL 3.0, so it comes only when asked for)"
        )
    if not path.is_file():
        raise ConfigurationError(
            f"there is no file {str(path)!r}: get one, such as wikipedia_en_all_nopic, from {SOURCE}"
        )
    from libzim.reader import Archive, set_cluster_cache_max_size  # noqa: PLC0415 - an extra

    set_cluster_cache_max_size(_CACHE_BYTES)
    try:
        return Archive(path)
    except _FAULTS as error:
        raise _broken(path, error) from error


def _metadata(archive: Any, path: Path) -> dict[str, str]:
    try:
        there = set(archive.metadata_keys)
        found = {key: bytes(archive.get_metadata(key)) for key in _KEYS if key in there}
    except _FAULTS as error:
        raise _broken(path, error) from error
    return {key: value.decode("utf-8", "replace").strip() for key, value in found.items()}


def _broken(path: Path, error: Exception) -> ConfigurationError:
    return ConfigurationError(
        f"{path} is no whole ZIM file ({error}): a download may have broken off; its size and checksum "
        f"stand beside it at {SOURCE}"
    )


def _searched(archive: Any, words: str, most: int) -> list[str]:
    if not archive.has_fulltext_index:
        return []
    from libzim.search import Query, Searcher  # noqa: PLC0415 - an extra

    search = Searcher(archive).search(Query().set_query(words))
    return list(search.getResults(0, most))


def _suggested(archive: Any, words: str, most: int) -> list[str]:
    from libzim.suggestion import SuggestionSearcher  # noqa: PLC0415 - an extra

    return list(SuggestionSearcher(archive).suggest(words).getResults(0, most))
