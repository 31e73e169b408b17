"""Which names say that a secret stands under them: names of variables, options, fields, query parameters."""

import re

#: A word that says secret -> where it must stand in the name: "any" place, "last", or "beside" another word.
SECRET_WORDS = {
    "KEY": "any",
    "TOKEN": "any",
    "SECRET": "any",
    "PASSWORD": "any",
    "PASSWD": "any",
    "PASSPHRASE": "any",
    "CREDENTIAL": "any",
    "CRED": "any",
    "AUTH": "any",
    "OAUTH": "any",
    "AUTHORIZATION": "any",
    "COOKIE": "any",
    "DSN": "any",
    "JWT": "any",
    "PAT": "any",  # a personal access token
    "SIGNATURE": "last",
    "SIG": "last",
    "PASS": "last",
    "WEBHOOK": "last",
    "PWD": "beside",  # alone it is the working directory
}
#: Words written as one: the end of it, and what may stand before (None: anything).
JOINED_WORDS = {
    "KEY": ("API", "APP", "ACCESS", "SECRET", "PRIVATE", "AUTH", "ACCOUNT", "SIGNING", "MASTER"),
    "PASS": ("DB", "SSH", "SMTP", "MAIL", "FTP", "USER"),
    "TOKEN": None,
    "SECRET": None,
    "PASSWORD": None,
    "PASSWD": None,
    "PASSPHRASE": None,
    "CREDENTIAL": None,
}
#: Names that end so hold places, switches or counts. A URL's password counts all the same.
HARMLESS_ENDS = frozenset(
    {
        *("SOCK", "FILE", "PATH", "DIR", "URL", "URI", "PID", "NAME", "TYPE", "MODE", "METHOD"),
        *("HOST", "PORT", "REGION", "ALGORITHM", "KEYFILE", "PASSFILE"),
    }
)
#: Beside these a place is a secret: who knows a web hook's address may use it.
SECRET_PLACES = frozenset({"WEBHOOK", "HOOK"})
_PLACE_ENDS = frozenset({"URL", "URI"})

#: API_KEY, api-key, apiKey, APIKey2.
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def is_secret_name(name: str) -> bool:
    """Whether what stands under this name is secret."""
    words = words_of(name)
    if not words:
        return False
    if words[-1] in _PLACE_ENDS and SECRET_PLACES & {*words}:
        return True
    if words[-1] in HARMLESS_ENDS:
        return False
    last = len(words) - 1
    return any(
        _says_secret(word, is_last=at == last, of=len(words)) for at, word in enumerate(words)
    )


def counts_tokens(name: str) -> bool:
    """Whether the name may mean tokens of text: MAX_TOKENS."""
    return "TOKEN" in words_of(name)


def words_of(name: str) -> tuple[str, ...]:
    """The name's words in capitals; those that are in the tables without their plural."""
    return tuple(_singular(word.upper()) for word in _WORD.findall(name))


def _singular(word: str) -> str:
    one = word.removesuffix("S")
    return one if one in SECRET_WORDS or _is_joined(one) else word


def _says_secret(word: str, *, is_last: bool, of: int) -> bool:
    place = SECRET_WORDS.get(word)
    if place is None:
        return _is_joined(word)
    return place == "any" or (place == "last" and is_last) or (place == "beside" and of > 1)


def _is_joined(word: str) -> bool:
    return any(
        word.endswith(end) and (before is None or word.removesuffix(end) in before)
        for end, before in JOINED_WORDS.items()
    )
