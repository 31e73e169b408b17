"""Which program a command starts, and what of its words are addresses."""

import re
from collections.abc import Iterable, Mapping, Sequence

#: Programs that fetch what their operands name; the text holds the short options that take a value.
FETCHERS: Mapping[str, str] = {
    "curl": "odHXAebcuTFwmxKErCDztyYP",
    **dict.fromkeys(("wget", "wget2"), "OoPtTUeiaQlADRIXBw"),
    **dict.fromkeys(("http", "https", "xh", "xhs"), "aosp"),
    **dict.fromkeys(("aria2c", "lynx", "w3m", "links", "elinks"), "od"),
    **dict.fromkeys(("nc", "ncat", "netcat", "telnet"), "wpsqiIoX"),
    "openssl": "",
}
#: Long options of theirs whose value stands in the next word and is no address.
_VALUED = re.compile(
    r"--(?:output(?:-document)?|data(?:-raw|-binary|-urlencode|-ascii)?|json|header|request|method|user(?:-agent)?"
    r"|referer|cookie(?:-jar)?|form|upload-file|write-out|max-time|(?:connect-)?timeout|config|retry(?:-delay)?|range"
    r"|unix-socket|resolve|cacert|cert|key|post-data|post-file|tries|body-data|auth)"
)
#: Programs that start another one, with their short options that take a value.
_STARTERS: Mapping[str, str] = {
    **{"sudo": "ughpCrtUDRT", "env": "uCS", "timeout": "ks", "xargs": "nILPdsaE", "nice": "n"},
    **{"ionice": "cnp", "stdbuf": "ioe", "time": "fo", "exec": "a", "strace": "eosp"},
    **dict.fromkeys(("nohup", "setsid", "builtin", "doas", "busybox"), ""),
    **{"parallel": "jnNIaL", "uv": "p", "poetry": ""},
}
_KEYWORDS = frozenset(("{", "}", "!", "then", "do", "else", "elif", "if", "while", "until"))
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_METHOD = re.compile(r"[A-Z]{3,7}")
_ITEM = re.compile(r"[\w.-]+(?:=|:=|==|@)(?!/)")
_OPERANDS = 100


def name_of(word: str) -> str:
    """A program's name without its folder."""
    return word.rpartition("/")[2]


def started(words: Sequence[str]) -> tuple[Mapping[str, str], Sequence[str], str]:
    """A command's assignments, the words from its program on, and the last program that starts it (or "")."""
    assigned: dict[str, str] = {}
    at, starter = 0, ""
    while at < len(words):
        word = words[at]
        if _ASSIGNMENT.match(word):
            name, _, value = word.partition("=")
            assigned[name.rstrip("+")] = value
        elif name_of(word) in _STARTERS:
            starter = name_of(word)
            at = _after_options(words, at + 1, starter) - 1
        elif word == "command" and words[at + 1 : at + 2] in (["-v"], ["-V"]):
            return assigned, (), ""  # only asks where a program is
        elif word not in _KEYWORDS and word != "command":
            break
        at += 1
    return assigned, words[at:], starter


def _after_options(words: Sequence[str], at: int, starter: str) -> int:
    at += words[at : at + 1] == ["run"] and starter in ("uv", "poetry")
    while at < len(words) and words[at].startswith("-"):
        option, rest = words[at][1:2], words[at][2:]
        is_valued = bool(option) and not rest and option in _STARTERS[starter]
        at += 2 if is_valued else 1
    return at + 1 if starter == "timeout" else at


def targets(name: str, words: Iterable[str]) -> Iterable[str]:
    """The operands of a fetcher that may be addresses."""
    skipped = False
    for word in list(words)[:_OPERANDS]:
        if skipped:
            skipped = False
        elif word.startswith("--url="):
            yield word[6:]
        elif word.startswith("-") and len(word) > 1:
            skipped = bool(_VALUED.fullmatch(word)) or (
                word[1] != "-" and word[-1] in FETCHERS[name]
            )
        elif not _METHOD.fullmatch(word) and not _ITEM.match(word):
            yield word
