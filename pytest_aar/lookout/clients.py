"""Calls of HTTP clients in programs: Python's and JavaScript's, as they are imported, made and called there.

Read by patterns, not by a parser: code comes in pieces, and hostile code can bring a parser down.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .hosts import foreign_host

_VERBS = (
    "get",
    "post",
    "put",
    "patch",
    "head",
    "delete",
    "options",
    "request",
    "stream",
    "ws_connect",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """What counts in a language: functions that take an address, those that take a bare host, makers of clients."""

    functions: frozenset[str]
    takes_host: frozenset[str]
    clients: frozenset[str]


def _all(modules: str, names: Iterable[str]) -> set[str]:
    return {f"{module}.{name}" for module in modules.split() for name in names}


PYTHON = Language(
    functions=frozenset(
        {"urllib.request.urlopen", "urllib.request.urlretrieve", "urllib.request.Request", "urllib3.request"}
        | _all("requests httpx aiohttp requests_html", _VERBS)
        | _all("pandas", ("read_html", "read_csv", "read_json", "read_table", "read_xml"))
    ),
    takes_host=frozenset(
        {"http.client.HTTPSConnection", "http.client.HTTPConnection", "socket.create_connection"}
    ),
    clients=frozenset(
        {"requests.Session", "requests.session", "httpx.Client", "httpx.AsyncClient", "aiohttp.ClientSession"}
        | {"urllib3.PoolManager", "requests_html.HTMLSession"}
    ),
)  # fmt: skip
JAVASCRIPT = Language(
    functions=frozenset({"fetch", "axios"} | _all("axios https http got", _VERBS)),
    takes_host=frozenset(),
    clients=frozenset({"axios.create"}),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """Who asks which host (None: nobody's), and the shell lines that the program runs."""

    calls: tuple[tuple[str, str | None], ...]
    shell: tuple[str, ...]


_COMMENT = re.compile(r"(?m)^[ \t]*(?:#|//).*$")
_IMPORT = re.compile(
    r"\bimport[ \t]+([\w.]+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[\w.]+(?:[ \t]+as[ \t]+\w+)?)*)"
)
_FROM = re.compile(r"\bfrom[ \t]+([\w.]+)[ \t]+import[ \t]+\(?([\w \t,]+)")
_CALL = re.compile(
    r"""(?<![\w.])(?P<name>(?:require\(["'](?:node:)?https?["']\)|[A-Za-z_]\w{0,63})(?:\.\w{1,63}){0,4})
    [ \t]{0,9}\(\s{0,99}\(?\s{0,99}(?:["'][A-Z]{3,7}["']\s{0,9},\s{0,99})?(?:url\s{0,9}=\s{0,9})?
    (?=(?P<argument>[rfbRFB]{0,2}["'`][^"'`\n]*|[A-Za-z_]\w*)?)""",
    re.VERBOSE,
)  # fmt: skip
#: `x = [await] NAME(` and `with NAME(...) as x`.
_MADE = re.compile(r"\b([A-Za-z_]\w*)[ \t]*=[ \t]*(?:await[ \t]+)?(\w[\w.]{0,99})\(")
_WITH = re.compile(r"\bwith[ \t]+(\w[\w.]{0,99})\([^()\n]{0,500}\)[ \t]+as[ \t]+(\w+)")
_ASSIGNED = re.compile(r"""\b([A-Za-z_]\w*)\s{0,9}=\s{0,9}[rfb]{0,2}["'`]([^"'`\n]*)["'`]""")
_OTHERWISE = re.compile(r"\b([A-Za-z_]\w*)[ \t]*=(?!=)")
_BASE_URL = re.compile(r"""\b(?:base_url|baseURL)\s{0,9}[=:]\s{0,9}[rfb]{0,2}["'`]([^"'`\n]+)""")
#: Addresses in a program's text; those under "url" are what tools are asked for.
_URL = re.compile(
    r"""(?<!\w)(?P<member>[({,]\s{0,9}["']?url["']?\s{0,9}[:=]\s{0,9})?[rfb]{0,2}["'`](?P<url>[a-z]{1,12}://[^\s"'`<>)]+)"""
)
#: A program that names it puts the gateway's address together.
_OF_GATEWAY = re.compile(
    r"GATEWAY|BASE_URL|/tools\b|fetch_webpage|127\.0\.0\.1|localhost|tools\.py"
)
_SHELL = re.compile(
    r"""\b(?:os\.(?:system|popen)|subprocess\.\w{1,20}|execSync|exec|spawnSync|spawn)\(\s{0,99}
    (?:\[(?P<words>[^\]]{0,500})\]|[rf]?(?P<mark>\"\"\"|'''|["'`])(?P<line>.{0,500}?)(?P=mark))""",
    re.VERBOSE | re.DOTALL,
)  # fmt: skip
_TEXT = re.compile(r"""["']([^"'\n]{0,500})["']""")
_ENGINE_SOCKET = re.compile(r"(?:docker|podman|containerd)\.sock\b")
_LITERAL = re.compile(r"[rfbRFB]{0,2}[\"'`](.*)", re.DOTALL)
#: Names of clients that a piece of code did not make itself.
_USUAL = frozenset(("session", "client"))


def is_engine_socket(text: str) -> bool:
    """Whether it names the socket of a container engine."""
    return bool(_ENGINE_SOCKET.search(text))


def calls_in(text: str, language: Language) -> Calls:
    """What a program asks of the network."""
    text = _COMMENT.sub("", text)
    return Calls(calls=tuple(_Reading(text, language).calls()), shell=tuple(_shell_lines(text)))


def _shell_lines(text: str) -> Iterable[str]:
    for match in _SHELL.finditer(text):
        if match["words"] is None:
            yield match["line"]
        else:
            words = _TEXT.findall(match["words"])
            yield " ".join(f"'{word}'" if re.search(r"[\s;|&]", word) else word for word in words)


class _Reading:
    """One program: what its names stand for."""

    def __init__(self, text: str, language: Language) -> None:
        self._text, self._language = text, language
        self._names = dict(_imported(text)) if language is PYTHON else {}
        self._texts = dict(_ASSIGNED.findall(text))
        self._clients = set(self._made())
        self._own = set(_OTHERWISE.findall(text)) - self._clients
        self._anywhere = None if _OF_GATEWAY.search(text) else self._first_url()

    def calls(self) -> Iterable[tuple[str, str | None]]:
        is_client_here = bool(self._clients)
        for match in _CALL.finditer(self._text):
            name = self._full(match["name"])
            if name in self._language.functions or self._is_clients(name, match["argument"]):
                yield _shown(name), self._host(match["argument"], bare=False)
            elif name in self._language.takes_host:
                yield _shown(name), self._host(match["argument"], bare=True)
            is_client_here = is_client_here or name in self._language.clients
        for url in _BASE_URL.findall(self._text) if is_client_here else ():
            yield "a client", foreign_host(url)

    def _full(self, name: str) -> str:
        if name.startswith("require("):
            return "https" + name.partition(")")[2]
        first, dot, rest = name.partition(".")
        return self._names.get(first, first) + dot + rest

    def _made(self) -> Iterable[str]:
        pairs = [*_MADE.findall(self._text), *((x, name) for name, x in _WITH.findall(self._text))]
        return (x for x, name in pairs if self._full(name) in self._language.clients)

    def _is_clients(self, name: str, argument: str | None) -> bool:
        """Whether it calls a client that was made here, or one of the usual name with a whole address."""
        of, _, verb = name.rpartition(".")
        if verb not in _VERBS:
            return False
        is_address = argument is not None and "://" in argument
        return of in self._clients or (is_address and of in _USUAL and of not in self._own)

    def _host(self, argument: str | None, *, bare: bool) -> str | None:
        literal = _LITERAL.match(argument or "")
        if literal is not None:
            return foreign_host(literal[1], bare=bare)
        if argument in self._texts:
            return foreign_host(self._texts[argument or ""], bare=bare)
        return self._anywhere

    def _first_url(self) -> str | None:
        """A host that stands in the program: what a name may mean of which nothing is known."""
        found = (match["url"] for match in _URL.finditer(self._text) if not match["member"])
        return next(filter(None, map(foreign_host, found)), None)


def _shown(name: str) -> str:
    parts = name.split(".")
    return parts[0] if parts[-1] in _VERBS else parts[-1]


def _imported(text: str) -> Mapping[str, str]:
    """Name in the program -> what it stands for."""
    found: dict[str, str] = {}
    for names in _IMPORT.findall(text):
        for one in names.split(","):
            module, _, other = one.strip().partition(" as ")
            found[other.strip() or module.partition(".")[0]] = (
                module if other.strip() else module.partition(".")[0]
            )
    for module, names in _FROM.findall(text):
        for one in names.split(","):
            name, _, other = one.strip().partition(" as ")
            found[other.strip() or name.strip()] = f"{module}.{name.strip()}"
    return found
