"""Which keys are set. Their values are never shown, nor how long they are."""

from collections.abc import Mapping
from dataclasses import replace

from pytest_aar.agents import AGENT_NAMES
from pytest_aar.gateway.protocols.vendors import ANTHROPIC, OPENAI
from pytest_aar.tools import Endpoints
from pytest_aar.tools.search import preferred
from pytest_aar.tools.service_keys import (
    KEY_SOURCES,
    MAPS,
    SEARCH,
    SEARCH_VARIABLES,
    SERVICE_KEYS,
    keys_for,
    keys_from,
)

from .check import LIVE, ZIM, Check

_AREA = "keys"
(_GOOGLE,) = keys_for(MAPS)
_MODEL = tuple(dict.fromkeys((*OPENAI.key_variables, *ANTHROPIC.key_variables)))
_MODEL_ADVICE = "for a model behind an API; pacer and replay need none"
_NOT_NEEDED = "not needed: asked at an address of yours"
#: Who asks a model.
RACERS = (LIVE, ZIM, *(name for name in AGENT_NAMES if name != "golden"))


def keys(environment: Mapping[str, str], endpoints: Endpoints) -> list[Check]:
    """Of the model, of maps, of web search, and what else there is a source for."""
    others = [each.variable for each in SERVICE_KEYS if not each.use]
    model = key("model", _MODEL, environment, advice=_MODEL_ADVICE)
    maps = key(
        MAPS,
        _GOOGLE.variables,
        environment,
        advice=_sources((_GOOGLE.variable,)),
        needed_for=(LIVE,),
    )
    return [
        replace(model, told_for=RACERS),
        _unneeded(maps)
        if endpoints.own.issuperset(_GOOGLE.services) and maps.state == "missing"
        else maps,
        _web_search(environment, endpoints),
        *(
            replace(
                key(_short(name), (name,), environment, advice=_sources((name,))), told_for=(LIVE,)
            )
            for name in others
        ),
    ]


def key(
    name: str,
    variables: tuple[str, ...],
    environment: Mapping[str, str],
    *,
    advice: str,
    needed_for: tuple[str, ...] = (),
) -> Check:
    """One service's key, in the first of these variables that is set. No service is asked whether it takes it."""
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
        state="broken" if odd else "set",
        found=f"{', '.join(odd)}: quotes or white space in it"
        if odd
        else f"{', '.join(there)} set (not tried)",
        advice="set it again, without them" if odd else "",
        needed_for=needed_for,
    )


def _web_search(environment: Mapping[str, str], endpoints: Endpoints) -> Check:
    """The key, and which of the services will be asked."""
    advice = _sources(SEARCH_VARIABLES)
    found = key(SEARCH, SEARCH_VARIABLES, environment, advice=advice, needed_for=(LIVE,))
    chosen = preferred(endpoints, keys_from(environment))
    if chosen is None or found.state == "broken":
        return found
    if found.state == "missing":
        return _unneeded(found, f"{_NOT_NEEDED}; {chosen.name} will be asked")
    return replace(found, found=f"{found.found}; {chosen.name} will be asked")


def _unneeded(check: Check, found: str = _NOT_NEEDED) -> Check:
    return replace(check, state="off", found=found, advice="")


def _is_odd(value: str) -> bool:
    """Whether a value has got what comes from copying it out of a file."""
    bare = value.rstrip("\r\n")
    return bare != "".join(bare.split()) or bare[:1] in "'\"" or bare[-1:] in "'\""


def _sources(variables: tuple[str, ...]) -> str:
    if len(variables) == 1:
        return f"get one at {KEY_SOURCES[variables[0]]}"
    return "set " + ", or ".join(f"{name} from {KEY_SOURCES[name]}" for name in variables)


def _short(variable: str) -> str:
    return variable.removesuffix("_API_KEY").lower()
