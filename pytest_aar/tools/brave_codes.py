"""Countries and languages that Brave Search knows: its codes differ from usual ones, and any other is HTTP 422."""

from collections.abc import Iterator

_COUNTRIES = frozenset({
    "ALL", "AR", "AU", "AT", "BE", "BR", "CA", "CL", "CN", "DE", "DK", "ES", "FI", "FR", "GB", "HK",
    "ID", "IN", "IT", "JP", "KR", "MX", "MY", "NL", "NO", "NZ", "PH", "PL", "PT", "RU", "SA", "SE",
    "CH", "TR", "TW", "US", "ZA",
})  # fmt: skip
_LANGUAGES = frozenset({
    "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "en-gb", "es", "et", "eu", "fi", "fr",
    "gl", "gu", "he", "hi", "hr", "hu", "is", "it", "jp", "kn", "ko", "lt", "lv", "ml", "mr", "ms",
    "nb", "nl", "pa", "pl", "pt-br", "pt-pt", "ro", "ru", "sk", "sl", "sr", "sv", "ta", "th",
    "te",  # codespell:ignore te
    "tr", "uk", "vi", "zh-hans", "zh-hant",
})  # fmt: skip
_OTHER_COUNTRIES = {"UK": "GB"}
#: Usual code -> Brave's. A bare "pt" is Brazil's, as at Google.
_OTHER_LANGUAGES = {
    **{"ja": "jp", "no": "nb", "nn": "nb", "iw": "he", "pt": "pt-br"},
    **{"zh": "zh-hans", "zh-tw": "zh-hant", "zh-hk": "zh-hant", "zh-mo": "zh-hant"},
}


def country_code(code: str) -> str | None:
    """Brave's code for a country's; None where it has none."""
    asked = code.strip().upper()
    asked = _OTHER_COUNTRIES.get(asked, asked)
    return asked if asked in _COUNTRIES else None


def language_code(code: str) -> str | None:
    """Brave's code for a language's, without its region or script where Brave has none; else None."""
    named = (_OTHER_LANGUAGES.get(each, each) for each in _shorter(code))
    return next((each for each in named if each in _LANGUAGES), None)


def _shorter(code: str) -> Iterator[str]:
    """The code, and what is left without its last parts: zh-hant-tw, zh-hant, zh."""
    parts = code.strip().lower().replace("_", "-").split("-")
    return ("-".join(parts[:length]) for length in range(len(parts), 0, -1))
