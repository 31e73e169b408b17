"""The reader's own vocabulary: patterns of everyday English, and what they speak for.

Made from how people put such tasks, and from a part of the published clues; the generator's tables
of wordings are not used, and import-linter sees to it. Weights are added per meaning: a word that
can mean several things (height, area) weighs little, a term of art (Roman numeral) much.
"""

from collections.abc import Iterator

from pytest_aar.leg import KINDS, Roadblock, RouteInfo

from .detour_cues import DETOUR_CUES
from .records import Cue, Meaning, cue

PAGE = Meaning(kind=KINDS[RouteInfo], tools=frozenset({"fetch_webpage"}))

#: What a clue is taken for when no word speaks for anything else.
PRIOR = 1.0

#: A merge speaks of two earlier results: without two of them it is hardly one.
TWO_CLUES = 1.4


def _roadblock(*tools: str) -> Meaning:
    return Meaning(kind=KINDS[Roadblock], tools=frozenset(tools))


def _merge(operation: str) -> Meaning:
    tools = frozenset({"python_execute_code"})
    return Meaning(kind=KINDS[Roadblock], tools=tools, operation=operation)


_NEAR = (
    r"\bnear|vicinity|proximity|around (?:it|there|the|this|that)|close (?:to|by)|within reach"
    r"|surround|nestled about|in the neighbou?rhood"
)
_VENUES = (
    r"\b(?:hotel|museum|park|restaurant|librar|theat(?:re|er)s|temple|hospital|church|universit"
    r"|stadium|place(?:s)? of worship|schools?\b|coffee|eater|dining|accommodat|institutions? of "
    r"(?:higher )?learning|medical|worship|sanctuar|lodging|inns\b|arena|galler|culinary)"
)
_COUNT = r"how many|\bcount|number of|tally"
_DRIVE = (
    r"driv(?:e|es|ing|en)\b|by (?:road|car)|\bcar\b|road (?:route|journey|trip)|on the road|behind"
    r" the wheel"
)
_TRIP = r"journey|travel|route"

#: Patterns looked for in the case-folded clue, with the meaning they speak for.
CUES: tuple[tuple[Meaning, tuple[Cue, ...]], ...] = (
    (
        PAGE,
        (
            cue(
                r"summary box|info ?box|fact box|side box|box of key facts|box at the top"
                r"|box that sum",
                3.0,
            ),
            cue(r"[“\"][^”\"]{2,80}[”\"]", 1.5),
            cue(r"opening (?:text|lines|paragraph|sentence)|introduction|first heading", 2.0),
            cue(r"opens the page|beginning of the text", 2.0),
            cue(r"page (?:that )?you (?:were|are|have been) (?:given|handed)|first stop", 2.0),
            cue(r"\bsections?\b|subsections?|heading|table of contents", 1.6),
            cue(r"\blink(?:s|ed)?\b|follow|open|hyperlink", 1.2),
            cue(r"\barticle|\bentry\b|encyclop", 0.8),
            cue(r"language|tongues", 2.5),
            cue(r"search the encyclop|begin (?:on|at|your)|start(?:ing|s)? (?:on|page|where)", 2.0),
            cue(r"which year|what year|in what year|the year|founded|founding|established", 0.5),
        ),
    ),
    (
        _roadblock("maps_geocode", "maps_elevation"),
        (
            cue(r"elevation|above (?:the )?sea|sea level|altitude", 1.7),
            cue(r"how high|\bheights?\b|how elevated|rises?\b|lofty|loft", 1.2),
            cue(r"terrain|ground|soil|lie of the land|surveyor|altimeter", 1.2),
        ),
    ),
    (
        _roadblock("maps_search_places"),
        (
            cue(_NEAR, 1.1),
            cue(_VENUES, 1.2),
            cue(_COUNT, 0.3),
            cue(r"\brating|\brated?\b|\bstars?\b|\breviews?|\bscore (?:do|has|is|given)", 2.4),
            cue(r"what score|visitors|travell?ers|patrons|opinions", 1.2),
            cue(r"(?:place|map|maps) search|search (?:of|for) places|map service", 2.0),
        ),
    ),
    (
        _roadblock("countries_population"),
        (
            cue(
                r"population|inhabitant|people (?:live|call|reside)|residents|how many people", 1.5
            ),
            cue(r"\bcountry|\bnation\b|\bland\b|\bstate's people", 0.4),
            cue(r"country (?:data|figures|statistics)|data on countries|country register", 2.0),
        ),
    ),
    (
        _roadblock("countries_area"),
        (
            cue(r"\barea\b|how (?:large|vast|big)|expanse|surface|vastness", 1.0),
            cue(r"square kilomet", 0.7),
            cue(r"\bcountry|\bnation\b|\bland\b", 0.2),
            cue(r"country (?:data|figures|statistics)|data on countries|country register", 2.0),
        ),
    ),
    (
        _roadblock("maps_geocode", "maps_distance_matrix"),
        (
            cue(_DRIVE, 1.4),
            cue(_TRIP, 0.5),
            cue(r"distance|how far|kilomet|\bmiles\b", 0.9),
            cue(r"from .* to |between .* and ", 0.3),
        ),
    ),
    (
        _roadblock("maps_directions"),
        (
            cue(_DRIVE, 1.4),
            cue(_TRIP, 0.6),
            cue(r"minutes|how long|duration|travel(?:ling)? time|driving time", 1.6),
            cue(r"from .* to |between .* and ", 0.3),
        ),
    ),
    (
        _roadblock("maps_geocode", "weather_historical"),
        (
            cue(r"temperature|how (?:warm|hot|cold)|degrees|thermometer", 1.2),
            cue(r"precipitation|\brain|snow|sunshine|sunlight|\bsun\b|rays", 1.4),
            cue(r"weather|meteorolog", 2.2),
            cue(r"\d{4}.\d{2}.\d{2}|\bday\b|\bjanuary|\bjuly", 0.8),
        ),
    ),
    (
        _roadblock("stock_historical_price"),
        (
            cue(r"\bstock|\bshares?\b|ticker", 1.2),
            cue(r"\bclos(?:e|ed|ing)\b|price|\bcost\b", 1.0),
            cue(r"ticker|closing (?:share )?price|share price", 0.8),
        ),
    ),
    (
        _roadblock("stock_volume"),
        (
            cue(r"\bstock|\bshares?\b|ticker", 1.6),
            cue(
                r"volume|changed hands|traded on|trading figures|how active|buyers|how many shares",
                2.4,
            ),
        ),
    ),
    (
        _roadblock("crypto_historical_price"),
        (
            cue(r"crypto|\bcoin|\w+usdt\b|token", 2.6),
            cue(r"\bclos(?:e|ed|ing)\b|price|\bworth\b|\bcost\b", 1.2),
        ),
    ),
    (
        _roadblock("crypto_volume"),
        (
            cue(r"crypto|\bcoin|\w+usdt\b|token", 2.6),
            cue(r"volume|changed hands|traded in|turnover", 1.8),
        ),
    ),
    (
        _roadblock("python_execute_code"),
        (
            cue(r"\bdays\b", 1.2),
            cue(
                r"(?:count|number of|how many|calculate|passage of|measure|reckon|span)[^.?]{0,40}"
                r"\bdays\b",
                1.8,
            ),
            cue(r"convert|transform|express|turn .* into|translate|given in|recast", 1.6),
            cue(r"\bfeet\b|yards|\bmiles\b|fahrenheit|inches|pounds|square miles|seconds", 1.0),
            cue(r"whole part|integer part|drop|truncate|cut (?:off|away)|decimal point", 0.6),
        ),
    ),
    *DETOUR_CUES,
    (
        _merge("difference"),
        (
            cue(r"differ(?:ence|s)?\b|subtract|apart|\bgap\b|minus|take away|deduct", 3.4),
            cue(r"combine|merg|fus", 0.4),
        ),
    ),
    (
        _merge("sum"),
        (
            cue(
                r"\bcombin|\bmerg|unif|fusion|\badd\b|\badding|\bsum\b|together|join|plus"
                r"|\btotal (?:emerges|of )",
                2.6,
            ),
            cue(r"absolute", -2.0),
        ),
    ),
)


def weights(text: str) -> Iterator[tuple[Meaning, float]]:
    """The weight of every meaning that at least one pattern speaks for."""
    for meaning, cues in CUES:
        found = [weight for pattern, weight in cues if pattern.search(text)]
        if found:
            yield meaning, sum(found)
