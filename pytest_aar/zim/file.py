"""A ZIM file: articles by title, and search."""

import importlib.util
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from pytest_aar.errors import ConfigurationError
from pytest_aar.extras import install

from .edition import SOURCE, Edition, edition_of
from .page import refresh_target
from .titles import OLD_ARTICLES, bare_title, normal_title, one_slip_from, paths_of

#: Of decompressed clusters; libzim's own default is half a gigabyte a process.
_CACHE_BYTES = 32 * 2**20
_MOST_REDIRECTS = 10
#: How alike titles are that are offered in place of a missing one.
_LIKENESS = 0.7
#: Titles of more characters are not looked up with a letter changed: so many looks take too long.
_LONGEST_LOOKED_UP = 60
_SHORTEST_BEGINNING = 3
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
            paths = [*self._misspelt(archive, wanted), *_resembling(archive, wanted, most)]
            titles = dict.fromkeys(self._title(path) for path in paths)
        like = get_close_matches(wanted, titles, most, _LIKENESS)
        return [*like, *(each for each in titles if each not in like)][:most]

    def _misspelt(self, archive: Any, wanted: str) -> list[str]:
        """Paths that differ by one letter: looked up one by one, for an index finds only how words begin."""
        if len(wanted) > _LONGEST_LOOKED_UP:
            return []
        start = OLD_ARTICLES if self.has_old_namespaces else ""
        titles = dict.fromkeys(map(normal_title, one_slip_from(wanted)))
        paths = (start + each.replace(" ", "_") for each in titles if each)
        return [path for path in paths if archive.has_entry_by_path(path)]

    @property
    def has_words(self) -> bool:
        """Whether a search finds more than titles."""
        return bool(self._archive.has_fulltext_index)

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
    if told := lacking(path):
        raise ConfigurationError(told)
    from libzim.reader import Archive, set_cluster_cache_max_size  # noqa: PLC0415 - an extra

    set_cluster_cache_max_size(_CACHE_BYTES)
    try:
        return Archive(path)
    except _FAULTS as error:
        raise _broken(path, error) from error


def lacking(path: Path) -> str:
    """What is not here that reading the file takes, and what to do; "" when nothing is."""
    return "; and ".join(filter(None, (_lacking_library(path), _lacking_file(path))))


def _lacking_library(path: Path) -> str:
    if is_libzim_there():
        return ""
    return (
        f"libzim is not installed, which zim:{path} needs: {install('zim')}; it is under the GPL 3.0, so it "
        "comes only when asked for"
    )


def _lacking_file(path: Path) -> str:
    if path.is_dir():
        return (
            f"{str(path)!r} is a folder: zim:PATH names one file, such as "
            f"zim:{path}/wikipedia_en_all_nopic_2026-03.zim"
        )
    if not path.is_file():
        return f"there is no file {str(path)!r}: get one, such as wikipedia_en_all_nopic, from {SOURCE}"
    return ""


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


def _resembling(archive: Any, wanted: str, most: int) -> list[str]:
    """By the index of titles, else by that of words, else what begins alike."""
    found = _suggested(archive, wanted, most) or _searched(archive, wanted, most)
    if found:
        return found
    for length in range(len(wanted) - 1, _SHORTEST_BEGINNING - 1, -1):
        begun = _suggested(archive, wanted[:length], 10 * most)
        if begun:
            return [path for path in begun if _is_like(path, wanted)]
    return []


def _is_like(path: str, wanted: str) -> bool:
    return bool(get_close_matches(wanted, [path.replace("_", " ")], 1, _LIKENESS))
