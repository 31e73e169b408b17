"""Which country a name means: whole names only, since "Niger" is never Nigeria."""

import difflib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pytest_aar.tools.result import ToolFailure

_NEAR = 3
_WORD = re.compile(r"[^\W_]+")
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "\u0131": "i", "æ": "ae", "œ": "oe", "&": " and "}
)
#: Full stops and the signs that stand for an apostrophe.
_DROPPED = str.maketrans("", "", ".'`\u2018\u2019\u02bb\u02bc")

#: Alpha-2 code -> further English names: short, older, and as the World Bank writes them.
_ALIASES: Mapping[str, tuple[str, ...]] = {
    "AE": ("Emirates",),
    "BA": ("Bosnia-Herzegovina", "Bosnia & Herzegovina"),
    "BN": ("Brunei Darussalam",),
    "BS": ("Bahamas, The",),
    "CD": (
        *("Congo, Democratic Republic of the", "Congo, Dem. Rep.", "Congo (Kinshasa)", "Zaire"),
        *("DR Congo", "Democratic Republic of Congo", "D.R. Congo", "Congo DR"),
    ),
    "CG": ("Congo, Rep.", "Congo, Republic of the", "Congo (Brazzaville)", "Congo Republic"),
    "CI": ("Côte d'Ivoire", "Cote d Ivoire"),
    "CN": ("PRC", "Mainland China"),
    "CV": ("Cape Verde",),
    "CZ": ("Czech Republic",),
    "EG": ("Egypt, Arab Rep.",),
    "FK": ("Falkland Islands (Islas Malvinas)", "Malvinas"),
    "FM": ("Micronesia, Fed. Sts.", "Federated States of Micronesia"),
    "GB": ("Great Britain", "Britain", "UK"),
    "GM": ("Gambia, The",),
    "HK": ("Hong Kong SAR", "Hong Kong SAR, China", "Hong Kong, China"),
    "IR": ("Iran, Islamic Rep.", "Persia"),
    "KG": ("Kyrgyzstan", "Kyrgyz Republic"),
    "KN": ("St. Kitts and Nevis",),
    "KP": ("DPRK", "Korea, Dem. People's Rep.", "Korea, North"),
    # The published legs mean this one: their golden value of "Korea" is the South's population.
    "KR": ("Korea", "ROK", "Korea, Rep.", "Korea, South"),
    "LA": ("Lao PDR", "Lao"),
    "MK": ("Macedonia", "FYROM"),
    "MM": ("Burma",),
    "MO": ("Macau", "Macao SAR", "Macao SAR, China"),
    "NL": ("Holland",),
    "PN": ("Pitcairn Islands",),
    "PS": ("Palestinian Territory", "Palestinian Territories", "West Bank and Gaza"),
    "RE": ("Réunion Island",),
    "RU": ("Russian Federation",),
    "SH": ("Saint Helena, Ascension and Tristan da Cunha",),
    "SJ": ("Svalbard",),
    "SK": ("Slovak Republic",),
    "ST": ("Sao Tome",),
    "SY": ("Syrian Arab Republic",),
    "SZ": ("Swaziland",),
    "TL": ("East Timor", "Timor-Leste"),
    "TR": ("Türkiye", "Turkiye"),
    "TT": ("Trinidad",),
    "TW": ("Republic of China", "Chinese Taipei", "Taiwan, China", "Formosa"),
    "US": ("USA", "United States of America", "America", "U.S."),
    "VA": ("Vatican", "Holy See", "Vatican City State"),
    "VC": ("St. Vincent and the Grenadines",),
    "VE": ("Venezuela, RB",),
    "VI": ("United States Virgin Islands", "US Virgin Islands", "Virgin Islands (U.S.)"),
    "VG": ("Virgin Islands (British)", "Virgin Islands, British"),
    "VN": ("Viet Nam",),
    "YE": ("Yemen, Rep.",),
}
#: Names that are no country's alone -> the codes of those that they may mean.
_SHARED = {
    "congo": ("CG", "CD"),
    "virgin islands": ("VG", "VI"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CountryRecord:
    """What is known of a country without asking anyone; None where nothing is.

    `population_year` is that of the estimate, where it is known.
    """

    alpha2: str
    alpha3: str
    name: str
    official_name: str
    population: int | None = None
    population_year: int | None = None
    area_km2: float | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CountryBook:
    """All countries, and where their figures come from."""

    source: str
    countries: Sequence[CountryRecord] = field(default_factory=tuple)

    def find(self, name: str) -> CountryRecord | None:
        """The country of a common or official name, an alias or a code; None without one.

        Raises:
            ToolFailure: ambiguous, with the names to choose from.
        """
        asked = folded(name)
        choices = [
            self._by_code[code].name for code in _SHARED.get(asked, ()) if code in self._by_code
        ]
        if len(choices) > 1:
            raise ambiguous(name, choices)
        return self._by_name.get(asked)

    def not_found(self, name: str) -> ToolFailure:
        """The failure for a name that is none, with names that come near."""
        near = ", ".join(self._near(name))
        hint = f"; near it: {near}" if near else ""
        return ToolFailure(
            "not_found",
            f"no country is called {name!r}{hint}. Give the English name, the official name,"
            " or a two- or three-letter code",
        )

    @cached_property
    def _by_code(self) -> dict[str, CountryRecord]:
        return {country.alpha2: country for country in self.countries}

    @cached_property
    def _by_name(self) -> dict[str, CountryRecord]:
        """Folded name -> country. Names come before codes, common ones before others."""
        names: dict[str, CountryRecord] = {}
        for country in self.countries:
            names.setdefault(folded(country.name), country)
        for country in self.countries:
            for name in _further(country):
                names.setdefault(folded(name), country)
        return names

    def _near(self, name: str) -> list[str]:
        asked = folded(name)
        holding = [known for known in self._by_name if f" {asked} " in f" {known} "]
        close = difflib.get_close_matches(asked, self._by_name, n=_NEAR)
        found = dict.fromkeys(self._by_name[known].name for known in (*holding, *close))
        return list(found)[:_NEAR]


def is_shared(name: str) -> bool:
    """Whether a name is several countries' though one may bear it: "Congo"."""
    return folded(name) in _SHARED


def ambiguous(name: str, choices: Iterable[str]) -> ToolFailure:
    """The failure for a name that means several countries."""
    return ToolFailure(
        "ambiguous", f"{name!r} may be {', '.join(choices)}: give one of these names"
    )


def folded(name: str) -> str:
    """The form in which names are compared: no accents, marks, case, no "the" before, St as Saint."""
    plain = unicodedata.normalize("NFKD", name.casefold().translate(_DROPPED).translate(_LETTERS))
    words = _WORD.findall("".join(sign for sign in plain if not unicodedata.combining(sign)))
    words = ["saint" if word == "st" else word for word in words]
    return " ".join(words[1:] if words[:1] == ["the"] and len(words) > 1 else words)


def _further(country: CountryRecord) -> Iterator[str]:
    yield from (country.official_name, country.alpha2, country.alpha3)
    yield from country.aliases
    yield from _ALIASES.get(country.alpha2, ())
