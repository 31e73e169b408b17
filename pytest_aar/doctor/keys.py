"""Which keys are set. Their values are never shown, nor how long they are."""

from collections.abc import Mapping

from pytest_aar.gateway.protocols.vendors import ANTHROPIC, OPENAI
from pytest_aar.tools.services import KEY_SOURCES

from .check import LIVE, Check

_AREA = "keys"
_GOOGLE = ("GOOGLE_API_KEY", "GOOGLE_MAPS_API_KEY")
_SEARCH = ("SERPER_API_KEY", "TAVILY_API_KEY", "BRAVE_API_KEY", "SEARXNG_URL")
_MODEL = tuple(dict.fromkeys((*OPENAI.key_variables, *ANTHROPIC.key_variables)))


def keys(environment: Mapping[str, str]) -> list[Check]:
    """Of the model, of maps, of web search, and what else there is a source for."""
    search = tuple(name for name in _SEARCH if name in KEY_SOURCES)
    others = [name for name in KEY_SOURCES if name not in (*_GOOGLE, *_SEARCH)]
    return [
        key(
            "model",
            _MODEL,
            environment,
            advice="for a model behind an API; pacer and replay need none",
        ),
        key("maps", _GOOGLE, environment, advice=_sources(_GOOGLE[:1]), needed_for=(LIVE,)),
        key("web search", search, environment, advice=_sources(search), needed_for=(LIVE,)),
        *(key(_short(name), (name,), environment, advice=_sources((name,))) for name in others),
    ]


def key(
    name: str,
    variables: tuple[str, ...],
    environment: Mapping[str, str],
    *,
    advice: str,
    needed_for: tuple[str, ...] = (),
) -> Check:
    """One service's key, in the first of these variables that is set."""
    there = [variable for variable in variables if environment.get(variable, "").strip()]
    if not there:
        return Check(
            area=_AREA,
            name=name,
            state="missing" if needed_for else "off",
            found=f"not set: {', '.join(variables)}",
            advice=advice,
            needed_for=needed_for,
        )
    odd = [variable for variable in there if _is_odd(environment[variable])]
    return Check(
        area=_AREA,
        name=name,
        state="broken" if odd else "ok",
        found=f"{', '.join(odd)}: quotes or white space in it"
        if odd
        else f"{', '.join(there)} set",
        advice="set it again, without them" if odd else "",
        needed_for=needed_for,
    )


def _is_odd(value: str) -> bool:
    """Whether a value has got what comes from copying it out of a file."""
    bare = value.rstrip("\r\n")
    return bare != "".join(bare.split()) or bare[:1] in "'\"" or bare[-1:] in "'\""


def _sources(variables: tuple[str, ...]) -> str:
    return "get one at " + ", or ".join(KEY_SOURCES[name] for name in variables)


def _short(variable: str) -> str:
    return variable.removesuffix("_API_KEY").lower()
