"""Commands that ask the network themselves: what they read there is in no trace.

Only commands are looked at, never what pages or prompts say. A look, no proof: a program that the agent wrote
to a file in another way, or one that hides its address, is not seen.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import islice, pairwise

from .hosts import foreign_host

#: Programs that fetch what their operands name; the text holds the short options that take a value.
_FETCHERS: Mapping[str, str] = {
    **dict.fromkeys(("curl",), "odHXAebcuTFwmxKErCDztyYP"),
    **dict.fromkeys(("wget", "wget2"), "OoPtTUeiaQlADRIXBw"),
    **dict.fromkeys(("http", "https", "xh", "xhs"), "aosp"),
    **dict.fromkeys(("aria2c", "lynx", "w3m", "links", "elinks"), "od"),
}
#: Long options of theirs whose value stands in the next word and is no address.
_VALUED = frozenset(
    (
        *(
            "--output",
            "--data",
            "--data-raw",
            "--data-binary",
            "--data-urlencode",
            "--data-ascii",
            "--json",
        ),
        *(
            "--header",
            "--request",
            "--user-agent",
            "--referer",
            "--cookie",
            "--cookie-jar",
            "--user",
            "--form",
        ),
        *(
            "--upload-file",
            "--write-out",
            "--max-time",
            "--connect-timeout",
            "--config",
            "--retry",
            "--range",
        ),
        *(
            "--retry-delay",
            "--unix-socket",
            "--resolve",
            "--cacert",
            "--cert",
            "--key",
            "--output-document",
        ),
        *(
            "--post-data",
            "--post-file",
            "--timeout",
            "--tries",
            "--body-data",
            "--method",
            "--auth",
        ),
    )
)
#: What is looked at of a command, of its fetchers and of their words: agents may write what they like, and as much.
_LONGEST, _FETCHES, _OPERANDS = 200_000, 50, 100
_METHOD = re.compile(r"[A-Z]{3,7}")
_ITEM = re.compile(r"[\w.-]+(?:=|:=|==|@)")
#: A cheap first look: none of these, no access.
_HINT = re.compile(
    r"curl|wget|\bxhs?\b|\bhttps?\s|aria2c|lynx|w3m|links|urllib|urlopen|requests|httpx|aiohttp|HTTPS?Connection"
    r"|create_connection|axios|fetch\(|\bgit\s|\.get\(|docker|podman"
)
_WORD = re.compile(
    r"""(?:[^\s"'\\;|&()<>`]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+|[;|&()<>`\n]""", re.DOTALL
)
_SEPARATORS = frozenset(";|&()`\n")
_ASSIGNED = re.compile(r"""(?m)\b([A-Za-z_]\w*)\s*=\s*[rfb]?["'`]?([a-z]{1,12}://[^\s"'`;]+)""")
#: Calls of Python's and JavaScript's clients, up to their first argument.
_CALL = re.compile(
    r"""\b(?:(?P<plain>urlopen|urlretrieve|Request|fetch|HTTPS?Connection|create_connection)
    |(?P<object>requests|httpx|axios|session|client|http|https|s|c)\.(?:get|post|put|head|patch|request|stream))
    \s{0,9}\(\s{0,99}\(?\s{0,99}(?:["'][A-Z]{3,7}["']\s{0,9},\s{0,99})?
    (?P<argument>[rfb]?["'`][^"'`\n]*|[A-Za-z_]\w*)""",
    re.VERBOSE,
)
_BASE_URL = re.compile(r"""\bbase_url\s*=\s*[rfb]?["']([^"']+)""")
_URL = re.compile(r"\b[a-z]{1,12}://[^\s\"'`<>)]+")
_LIBRARY = re.compile(
    r"urllib|requests|httpx|aiohttp|http\.client|axios|fetch\(|socket|https?\.get\("
)
#: A command that names it puts the gateway's address together.
_OF_GATEWAY = re.compile(r"GATEWAY|BASE_URL")
_GIT = re.compile(
    r"\bgit\b[^;|&\n]{0,200}?\b(?:clone|fetch|pull|ls-remote|submodule|archive)\b([^;|&\n]*)"
)
_ENGINE = re.compile(
    r"docker\.sock|podman\.sock|\b(?:docker|podman)\s{1,9}(?:run|exec|cp|start|create|compose|image|ps|pull)\b"
)


def web_access(command: str, *, gateway: str = "") -> tuple[str, ...]:
    """What a command asks of the network past the gateway, a line each; usually nothing.

    `gateway` is this race's address. Loopback is nobody's web; names below `.test` lead nowhere.
    """
    command = command[:_LONGEST]
    if not _HINT.search(command):
        return ()
    found = [*_fetched(command), *_called(command), *_cloned(command)]
    lines = [f"{who} to {host}" for who, host in found if host and host not in gateway]
    if _ENGINE.search(command):
        lines.append("a call of the container engine")
    return tuple(dict.fromkeys(lines))


def _fetched(command: str) -> Iterable[tuple[str, str | None]]:
    words = [_bare(word) for word in _WORD.findall(command)]
    known = dict(_ASSIGNED.findall(command))
    for position in islice(_fetchers(words), _FETCHES):
        name = _program(words[position])
        for target in _targets(name, words[position + 1 : position + _OPERANDS]):
            yield name, foreign_host(_expanded(target, known), bare=True)
    for before, word in pairwise(words):
        if _is_inner(word, before):
            yield from _fetched(word)


def _fetchers(words: list[str]) -> Iterable[int]:
    return (at for at, word in enumerate(words) if _program(word) in _FETCHERS)


def _program(word: str) -> str:
    return word.rpartition("/")[2]


def _is_inner(word: str, before: str) -> bool:
    """Whether the word is a command line of its own: `bash -lc '...'`."""
    return bool(re.search(r"\s", word)) and (
        before == "eval" or bool(re.fullmatch(r"-\w*c", before))
    )


def _bare(word: str) -> str:
    if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'":
        return word[1:-1]
    return re.sub(r"[\"']", "", word) if len(word) > 1 else word


def _targets(name: str, words: list[str]) -> Iterable[str]:
    """The operands of a fetcher, up to the end of its command."""
    skipped = False
    for word in words:
        if word in _SEPARATORS:
            return
        if skipped:
            skipped = False
        elif word.startswith("--url="):
            yield word[6:]
        elif word.startswith("-") and len(word) > 1:
            skipped = _takes_value(name, word)
        elif not _METHOD.fullmatch(word) and not _ITEM.match(word):
            yield word


def _takes_value(name: str, option: str) -> bool:
    if option.startswith("--"):
        return option in _VALUED
    return option[-1] in _FETCHERS[name]


def _expanded(target: str, known: Mapping[str, str]) -> str:
    match = re.match(r"\$\{?([A-Za-z_]\w*)\}?", target)
    if match is None:
        return target
    return known.get(match[1], "") + target[match.end() :] if match[1] in known else ""


def _called(command: str) -> Iterable[tuple[str, str | None]]:
    if not _LIBRARY.search(command):
        return
    known = dict(_ASSIGNED.findall(command))
    hosts = (foreign_host(url) for url in _URL.findall(command))
    anywhere = None if _OF_GATEWAY.search(command) else next(filter(None, hosts), None)
    for match in _CALL.finditer(command):
        name = match["plain"] or match["object"]
        yield name, _called_host(match["argument"], known, anywhere)
    for url in _BASE_URL.findall(command):
        yield "a client", foreign_host(url)


def _called_host(argument: str, known: Mapping[str, str], anywhere: str | None) -> str | None:
    """`anywhere` is a host that stands in the command: what a variable may mean of which nothing is known."""
    literal = re.match(r"[rfb]?[\"'`](.*)", argument, re.DOTALL)
    if literal is not None:
        return foreign_host(literal[1], bare="://" not in literal[1])
    return foreign_host(known[argument]) if argument in known else anywhere


def _cloned(command: str) -> Iterable[tuple[str, str | None]]:
    for match in _GIT.finditer(command):
        for word in match[1].split():
            scp = re.fullmatch(r"[\w.-]+@([\w.-]+):.*", word.strip("\"'"))
            url = f"ssh://{scp[1]}" if scp else word.strip("\"'")
            yield "git", foreign_host(url)
