"""Which Wikipedia a ZIM file holds, from its metadata; files that no leg can be raced over are refused."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_aar.errors import ConfigurationError

#: Where files come from; every message about a wrong one ends with it.
SOURCE = "https://download.kiwix.org/zim/wikipedia/"

#: ISO 639-3, as the metadata `Language` has it -> the wiki's label, for files that say it nowhere else.
_LABELS = {
    "ara": "ar", "cat": "ca", "ces": "cs", "dan": "da", "deu": "de", "ell": "el", "eng": "en", "fas": "fa",
    "fin": "fi", "fra": "fr", "heb": "he", "hin": "hi", "hun": "hu", "ind": "id", "ita": "it", "jpn": "ja",
    "kor": "ko", "nld": "nl", "nor": "no", "pol": "pl", "por": "pt", "ron": "ro", "rus": "ru", "spa": "es",
    "swe": "sv", "tur": "tr", "ukr": "uk", "zho": "zh",
}  # fmt: skip
_HOST = re.compile(r"\b([a-z-]+)\.wikipedia\.org\b")
_NAME = re.compile(r"wikipedia_([a-z-]+)_(simple_)?")
_FLAVOURS = ("mini", "nopic", "maxi", "nodet")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """A file's Wikipedia. `language` is the wiki's label ("en"), `checksum` the MD5 that the file keeps of itself.

    `name`, `date` (ISO) and `flavour` are what the file says of itself, "" where it says nothing.
    """

    file: str
    name: str
    date: str
    flavour: str
    language: str
    checksum: str

    @property
    def host(self) -> str:
        """The wiki that the articles are of."""
        return f"{self.language}.wikipedia.org"

    @property
    def hash(self) -> str:
        """What tells this file from any other: name, flavour, date, checksum."""
        told = "_".join(part for part in (self.name, self.flavour, self.date) if part)
        return f"{told or self.file}:{self.checksum}"

    @property
    def facts(self) -> dict[str, str]:
        """All of it, for provenance."""
        return {name: getattr(self, name) for name in self.__slots__}


def edition_of(file: Path, metadata: Mapping[str, str], checksum: str) -> Edition:
    """The edition that the metadata tell of.

    Raises:
        ConfigurationError: not of Wikipedia, no language, or a "mini" file.
    """
    name, tags = metadata.get("Name", ""), metadata.get("Tags", "").split(";")
    source = metadata.get("Source", "")
    if not any("wikipedia" in told.lower() for told in (name, source, *tags)):
        shown = name or metadata.get("Title", "") or "no name"
        raise ConfigurationError(
            f"{file} is a ZIM file of something else ({shown}): the articles of legs are Wikipedia's; "
            f"get wikipedia_en_all_nopic from {SOURCE}"
        )
    language = _language(file, name, source, metadata.get("Language", ""))
    flavour = _flavour(file, metadata)
    if flavour in ("mini", "nodet") or "_details:no" in tags:
        raise ConfigurationError(
            f"{file} is a 'mini' file: it holds at most the beginning of each article, and legs ask for what "
            f"stands in its infobox, tables and sections; get wikipedia_{language}_all_nopic (all of the text, "
            f"no pictures) from {SOURCE}"
        )
    return Edition(
        file=file.name,
        name=name,
        date=metadata.get("Date", ""),
        flavour=flavour,
        language=language,
        checksum=checksum,
    )


def _flavour(file: Path, metadata: Mapping[str, str]) -> str:
    """As the metadata say it; older files have it in their names alone."""
    told = metadata.get("Flavour", "").lower()
    if told:
        return told
    parts = re.split(r"[_.]", f"{metadata.get('Name', '')}_{file.name}".lower())
    return next((flavour for flavour in _FLAVOURS if flavour in parts), "")


def _language(file: Path, name: str, source: str, codes: str) -> str:
    host, named = _HOST.search(source), _NAME.match(name)
    if host is not None:
        return host[1]
    if named is not None:
        return "simple" if named[2] else named[1]
    label = _LABELS.get(codes.partition(",")[0].strip().lower())
    if label is None:
        raise ConfigurationError(
            f"{file} does not tell which Wikipedia it holds (Name {name!r}, Source {source!r}, Language "
            f"{codes!r}): get one of Kiwix's own files, such as wikipedia_en_all_nopic, from {SOURCE}"
        )
    return label


def wrong_wiki(edition: Edition, host: str) -> str:
    """What to say of a page on another wiki than the file's."""
    label = host.partition(".")[0]
    return (
        f"{edition.file} holds {edition.host} alone, and this page is on {host}: "
        f"get wikipedia_{label}_all_nopic from {SOURCE}, or race legs of {edition.host}"
    )
