"""The reader's own vocabulary: patterns of everyday English, and what they speak for.

Made from how people put such tasks, and from a part of the published clues; the generator's tables
of wordings are not used, and import-linter sees to it. Weights are added per meaning: a word that
can mean several things (height, area) weighs little, a term of art (Roman numeral) much.
"""

import re
from collections.abc import Iterator

from pytest_aar.leg import KINDS, Detour, Roadblock, RouteInfo

from .records import Meaning

PAGE = Meaning(kind=KINDS[RouteInfo], tools=frozenset({"fetch_webpage"}))

#: What a clue is taken for when no word speaks for anything else.
PRIOR = 1.0

Cue = tuple[re.Pattern[str], float]


def _cue(pattern: str, weight: float) -> Cue:
    return re.compile(pattern), weight


def _roadblock(*tools: str) -> Meaning:
    return Meaning(kind=KINDS[Roadblock], tools=frozenset(tools))


def _detour(name: str) -> Meaning:
    return Meaning(kind=KINDS[Detour], operation=name)


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
            _cue(r"summary box|info ?box|fact box|side box|box of key facts|box at the top", 3.0),
            _cue(r"[“\"][^”\"]{2,80}[”\"]", 1.5),
            _cue(r"opening (?:text|lines|paragraph|sentence)|introduction|first heading", 2.0),
            _cue(r"opens the page|beginning of the text", 2.0),
            _cue(r"\bsections?\b|subsections?|heading|table of contents", 1.6),
            _cue(r"\blink(?:s|ed)?\b|follow|open|hyperlink", 1.2),
            _cue(r"\barticle|\bentry\b|encyclop", 0.8),
            _cue(r"language|tongues", 2.5),
            _cue(
                r"search the encyclop|begin (?:on|at|your)|start(?:ing|s)? (?:on|page|where)", 2.0
            ),
            _cue(r"which year|what year|in what year|the year|founded|founding|established", 0.5),
        ),
    ),
    (
        _roadblock("maps_geocode", "maps_elevation"),
        (
            _cue(r"elevation|above (?:the )?sea|sea level|altitude", 1.7),
            _cue(r"how high|\bheights?\b|how elevated|rises?\b|lofty|loft", 1.2),
            _cue(r"terrain|ground|soil|lie of the land|surveyor|altimeter", 1.2),
        ),
    ),
    (
        _roadblock("maps_search_places"),
        (
            _cue(_NEAR, 1.1),
            _cue(_VENUES, 1.2),
            _cue(_COUNT, 0.3),
            _cue(r"\brating|\brated?\b|\bstars?\b|\breviews?|\bscore (?:do|has|is|given)", 2.4),
            _cue(r"what score|visitors|travell?ers|patrons|opinions", 1.2),
            _cue(r"(?:place|map|maps) search|search (?:of|for) places|map service", 2.0),
        ),
    ),
    (
        _roadblock("countries_population"),
        (
            _cue(
                r"population|inhabitant|people (?:live|call|reside)|residents|how many people", 1.5
            ),
            _cue(r"\bcountry|\bnation\b|\bland\b|\bstate's people", 0.4),
            _cue(r"country (?:data|figures|statistics)|data on countries|country register", 2.0),
        ),
    ),
    (
        _roadblock("countries_area"),
        (
            _cue(r"\barea\b|how (?:large|vast|big)|expanse|surface|vastness", 1.0),
            _cue(r"square kilomet", 0.7),
            _cue(r"\bcountry|\bnation\b|\bland\b", 0.2),
            _cue(r"country (?:data|figures|statistics)|data on countries|country register", 2.0),
        ),
    ),
    (
        _roadblock("maps_geocode", "maps_distance_matrix"),
        (
            _cue(_DRIVE, 1.4),
            _cue(_TRIP, 0.5),
            _cue(r"distance|how far|kilomet|\bmiles\b", 0.9),
            _cue(r"from .* to |between .* and ", 0.3),
        ),
    ),
    (
        _roadblock("maps_directions"),
        (
            _cue(_DRIVE, 1.4),
            _cue(_TRIP, 0.6),
            _cue(r"minutes|how long|duration|travel(?:ling)? time|driving time", 1.6),
            _cue(r"from .* to |between .* and ", 0.3),
        ),
    ),
    (
        _roadblock("maps_geocode", "weather_historical"),
        (
            _cue(r"temperature|how (?:warm|hot|cold)|degrees|thermometer", 1.2),
            _cue(r"precipitation|\brain|snow|sunshine|sunlight|\bsun\b|rays", 1.4),
            _cue(r"weather|meteorolog", 2.2),
            _cue(r"\d{4}.\d{2}.\d{2}|\bday\b|\bjanuary|\bjuly", 0.8),
        ),
    ),
    (
        _roadblock("stock_historical_price"),
        (
            _cue(r"\bstock|\bshares?\b|ticker", 1.2),
            _cue(r"\bclos(?:e|ed|ing)\b|price|\bcost\b", 1.0),
            _cue(r"ticker|closing (?:share )?price|share price", 0.8),
        ),
    ),
    (
        _roadblock("stock_volume"),
        (
            _cue(r"\bstock|\bshares?\b|ticker", 1.6),
            _cue(
                r"volume|changed hands|traded on|trading figures|how active|buyers|how many shares",
                2.4,
            ),
        ),
    ),
    (
        _roadblock("crypto_historical_price"),
        (
            _cue(r"crypto|\bcoin|\w+usdt\b|token", 2.6),
            _cue(r"\bclos(?:e|ed|ing)\b|price|\bworth\b|\bcost\b", 1.2),
        ),
    ),
    (
        _roadblock("crypto_volume"),
        (
            _cue(r"crypto|\bcoin|\w+usdt\b|token", 2.6),
            _cue(r"volume|changed hands|traded in|turnover", 1.8),
        ),
    ),
    (
        _roadblock("python_execute_code"),
        (
            _cue(r"\bdays\b", 1.2),
            _cue(
                r"(?:count|number of|how many|calculate|passage of|measure|reckon|span)[^.?]{0,40}"
                r"\bdays\b",
                1.8,
            ),
            _cue(r"convert|transform|express|turn .* into|translate|given in|recast", 1.6),
            _cue(r"\bfeet\b|yards|\bmiles\b|fahrenheit|inches|pounds|square miles|seconds", 1.0),
            _cue(r"whole part|integer part|drop|truncate|cut (?:off|away)|decimal point", 0.6),
        ),
    ),
    (
        _detour("next_prime"),
        (
            _cue(
                r"next prime|which prime (?:do|comes)|(?:smallest|first|nearest|closest)(?: \w+)? prime",
                4.5,
            ),
        ),
    ),
    (
        _detour("next_prime"),
        (_cue(r"\bprime\b.{0,100}(?:follow|after|beyond|above|next|greater than|exceed)", 3.5),),
    ),
    (
        _detour("sum_prime_factors"),
        (
            _cue(r"(?:sum|add|total|cumulative).{0,100}prime|prime.{0,100}(?:sum|add|total)", 4.6),
            _cue(r"(?:distinct|different|unique) prime", 2.5),
        ),
    ),
    (
        _detour("largest_prime_factor"),
        (_cue(r"(?:largest|greatest|biggest|highest|last).{0,40}prime", 5.0),),
    ),
    (
        _detour("largest_prime_factor"),
        (_cue(r"prime.{0,120}(?:largest|greatest|biggest|highest)", 4.8),),
    ),
    (
        _detour("num_divisors"),
        (
            _cue(r"divisors?\b|divide.{0,40}(?:evenly|remainder)|numbers that divide", 4.5),
            _cue(r"how many (?:unique |distinct |whole )?(?:factors|numbers) ", 2.5),
        ),
    ),
    (
        _detour("roman_numeral_letter_count"),
        (_cue(r"\broman\b|ancient (?:script|style|symb)", 4.5),),
    ),
    (_detour("binary_1bit_count"), (_cue(r"binary|base[ -]two|\bbits?\b", 4.5),)),
    (
        _detour("digit_reversal"),
        (_cue(r"revers|backwards?|back to front|(?:flip|mirror).{0,40}digits|right to left", 4.2),),
    ),
    (
        _detour("digital_root"),
        (
            _cue(r"digital root", 5.5),
            _cue(r"(?:until|till) .{0,30}(?:one|single) (?:digit|figure)", 5.5),
            _cue(r"iterat.{0,40}digit|repeated.{0,40}digit", 4.0),
        ),
    ),
    (
        _detour("digit_sum"),
        (
            _cue(
                r"digits?\b.{0,100}(?:\bsum|add|total)|(?:\bsum|add|total|tally).{0,100}digits?\b",
                4.2,
            ),
        ),
    ),
    (
        _detour("day_of_week"),
        (_cue(r"weekday|days? of the week|new year|what day|mon(?:day)?\b.{0,12}\b1\b", 4.5),),
    ),
    (_detour("leap_years_to_2000"), (_cue(r"leap", 5.5),)),
    (_detour("vowel_count"), (_cue(r"vowel|a, e, i, o", 5.0),)),
    (
        _detour("alpha_position_first_letter"),
        (_cue(r"alphabet", 3.5), _cue(r"first letter|\binitial\b|opening letter", 1.6)),
    ),
    (_detour("scrabble_score"), (_cue(r"scrabble", 6.0),)),
    (
        _merge("difference"),
        (
            _cue(r"differ(?:ence|s)?\b|subtract|apart|\bgap\b|minus|take away|deduct", 3.4),
            _cue(r"combine|merg|fus", 0.4),
        ),
    ),
    (
        _merge("sum"),
        (
            _cue(
                r"\bcombin|\bmerg|unif|fusion|\badd\b|\badding|\bsum\b|together|join|plus"
                r"|\btotal (?:emerges|of )",
                2.6,
            ),
            _cue(r"absolute", -2.0),
        ),
    ),
)

#: A merge speaks of two earlier results: without two of them it is hardly one.
TWO_CLUES = 1.4

_FINISH = re.compile(
    r"digit|modulo|modulus|\bmod\b|remainder|% ?10|divi\w+ by ten|finish|final (?:answer|value|result)"
)
_ROOT = re.compile(r"digital root|until .{0,30}(?:one|single) (?:digit|figure)")
_GAP = re.compile(r"differ|subtract|\bgap\b|\babs\b|apart|minus|deduct|take away")
_START = re.compile(
    r"starting (?:page|address|point)|start(?:s|ing)? (?:where|on|at|from)|you (?:were|are|have been)"
    r" (?:given|handed)|\bbegin (?:on|at|here|there|your)|begin\.|already (?:stand|open)"
    r"|\bgiven page|first stop|set off"
)
_SEARCH = re.compile(r"\bsearch|look (?:up|it up)|seek|query|hunt for|track down")
_LINK = re.compile(r"\blink(?:s|ed|ing)?\b|follow|page of clue|hyperlink|leads?\b")


def weights(text: str) -> Iterator[tuple[Meaning, float]]:
    """The weight of every meaning that at least one pattern speaks for."""
    for meaning, cues in CUES:
        found = [weight for pattern, weight in cues if pattern.search(text)]
        if found:
            yield meaning, sum(found)


def finishes(text: str) -> bool:
    """Whether a last clue asks for the one digit that ends a race."""
    return _FINISH.search(text) is not None


def finish_operation(text: str) -> str:
    """How a finish line's operands are put together: sum, difference or digital_root."""
    if _ROOT.search(text):
        return "digital_root"
    return "difference" if _GAP.search(text) else "sum"


def starts(text: str) -> bool:
    """Whether a page clue speaks of the page that a race begins on."""
    return _START.search(text) is not None


def searches(text: str) -> bool:
    """Whether a page is to be found by a search."""
    return _SEARCH.search(text) is not None


def follows_link(text: str) -> bool:
    """Whether a page is come by along a link."""
    return _LINK.search(text) is not None
