"""The wordings of page clues and of references: rule -> variants, with slots in braces.

No wording holds a page title, the name of a tool, a golden value, or arithmetic with literals: what
varies comes in through slots, and `verbalize` checks the outcome. A variant is one or more sentences
that may begin with a small letter: the grammar sets capitals.
"""

from collections.abc import Mapping
from types import MappingProxyType

#: How to reach a page. The first clue's page is given.
WAYS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "seed": (
            "Begin on the page you were given.",
            "Your race starts where you stand, on the page of the starting address.",
            "Open the starting page.",
            "The first stop is the page you were handed.",
            "Set off from the page whose address came with these clues: the starting page.",
            "Nothing to search for yet: start on the page you have been given.",
            "The starting address leads to your first page; begin there.",
        ),
        "role": (
            "From the page of clue {from}, go on to the article that its summary box links "
            "as “{label}”.",
            "The summary box on the page of clue {from} links one article beside “{label}”; "
            "open it.",
            "Leave the page of clue {from} by the link that stands at “{label}” in its "
            "summary box.",
            "Next comes the page behind the link in the “{label}” row of the summary box of "
            "clue {from}'s page.",
            "Return to the page of clue {from}, find the row “{label}” in its summary box, and "
            "follow the link there.",
            "One row of the summary box on the page of clue {from} is headed “{label}”: click "
            "the link it holds.",
            "The page of clue {from} has a summary box; its entry “{label}” is a link to your "
            "next stop.",
        ),
        "ordinal": (
            "On the page of clue {from}, take the {ordinal} article linked in the section "
            "“{section}”.",
            "The section “{section}” on the page of clue {from} links several articles; "
            "follow the {ordinal} of them.",
            "Count the articles linked under “{section}” on the page of clue {from} and "
            "open the {ordinal}.",
            "Go on from the page of clue {from}: the {ordinal} link of its section "
            "“{section}” is your next stop.",
            "Scroll to “{section}” on the page of clue {from}. Of the links in that section, "
            "the {ordinal} one leads on.",
            "In the section “{section}” on the page of clue {from}, count the links from the "
            "top and follow the {ordinal}.",
            "Reading the section “{section}” on the page of clue {from} from its top, you meet "
            "link after link; the {ordinal} is yours to follow.",
        ),
        "letters": (
            "In the section “{section}” on the page of clue {from}, one linked name begins "
            "with “{first}” and ends with “{last}”; open its article.",
            "The page of clue {from} links, under “{section}”, a single name that starts "
            "with “{first}” and closes with “{last}”. Go there.",
            "Follow from the page of clue {from} the only link of the section “{section}” "
            "whose text opens with “{first}” and finishes with “{last}”.",
            "Somewhere under “{section}” on the page of clue {from} stands a linked name "
            "running from “{first}” to “{last}”; follow it.",
            "Only one link in the section “{section}” on the page of clue {from} has “{first}” "
            "in front and “{last}” at its end. Take it.",
            "Skim the links of the section “{section}” on the page of clue {from} for the one "
            "whose first letter is “{first}” and whose last is “{last}”, and open it.",
            "Which link of the section “{section}” on the page of clue {from} opens with the "
            "letter “{first}” and stops at the letter “{last}”? That article comes next.",
        ),
        "search": (
            "Now search the encyclopedia for {a_kind} whose {label} is “{text}” and open "
            "its article.",
            "No link leads on: look up, by a search, the {kind} that has “{text}” as its {label}.",
            "Search for the {kind} with the {label} “{text}”; its article is the next stop.",
            "{a_kind} is known by its {label}, “{text}”. Find its article with a search.",
            "Ask the search for {a_kind} of which “{text}” is given as {label}, and go to its page.",
            "Somewhere in the encyclopedia, away from all links so far, stands {a_kind} whose "
            "{label} reads “{text}”. Run a search for it.",
            "Leave the links aside and search: the {kind} you need has the {label} “{text}”.",
        ),
        "search_fact": (
            "Now search the encyclopedia for {a_kind} whose page gives “{text}” as “{label}”, and "
            "open its article.",
            "No link leads on: look up, by a search, the {kind} that has “{text}” under “{label}” "
            "in its summary box.",
            "Search for the {kind} with “{label}: {text}” in its summary box; its article is the "
            "next stop.",
            "In the summary box of {a_kind}, “{text}” stands beside “{label}”. Find that article "
            "with a search.",
            "Ask the search for {a_kind} for which “{label}” is “{text}”, and go to its page.",
            "Leave the links aside and search: the summary box of the {kind} you need says “{text}” "
            "for “{label}”.",
        ),
    }
)

#: What marks the page out among its siblings: {portrait} is "a city of some 320,000 people".
PORTRAITS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "portrait": (
            "You want {portrait}.",
            "The article is about {portrait}.",
            "There you will read of {portrait}.",
            "You are in the right place if it describes {portrait}.",
            "What awaits you is {portrait}.",
            "It tells of {portrait}.",
            "The page you need is that of {portrait}.",
        ),
    }
)

#: In which part of a page something stands.
WHERE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "infobox": (
            "in its summary box",
            "in the page's summary box",
            "in its box of key facts",
            "among the rows of its summary box",
            "in the box that sums the page up",
            "in the summary box at the head of the page",
        ),
        "lead": (
            "in its opening text",
            "in the opening lines of the page",
            "before the first heading of the page",
            "in the paragraph that opens the page",
            "in its introduction",
            "at the very beginning of the text",
        ),
        "section": (
            "in its section “{section}”",
            "under its heading “{section}”",
            "in the section “{section}” of the page",
            "in the part of the page headed “{section}”",
            "below the heading “{section}”",
            "in the page's section “{section}”",
        ),
    }
)

#: What to find on a page, by type of value, when the page's own label is quoted.
FACTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "number": (
            "Note the figure given {where} for “{label}”{unit}.",
            "Which number stands {where} beside “{label}”{unit}?",
            "What is stated {where} as “{label}”{unit}?",
            "Read off “{label}” {where}{unit}.",
            "Find “{label}” {where} and write the number down{unit}.",
            "Which number goes with “{label}” {where}{unit}?",
            "Take down the number called “{label}” {where}{unit}.",
        ),
        "text": (
            "Which name is given {where} for “{label}”?",
            "Write down what stands {where} beside “{label}”.",
            "What is named {where} as “{label}”?",
            "Note the entry {where} for “{label}”.",
            "Find “{label}” {where} and copy the words beside it.",
            "Which words stand {where} for “{label}”?",
            "Take down the name that stands for “{label}” {where}.",
        ),
        "date": (
            "Which date is given {where} for “{label}”?",
            "Note the day that stands {where} beside “{label}”.",
            "Find {where} the date of “{label}”.",
            "Which day is that of “{label}”, going by what stands {where}?",
            "Look for “{label}” {where} and write down the full date.",
            "What date stands {where} for “{label}”?",
            "Take down the day, month and year of “{label}” {where}.",
        ),
    }
)

#: The same without the label: {thing} says what it stands for (see `THINGS`).
PLAIN_FACTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "number": (
            "Find {where} {thing}{unit}.",
            "What is {thing}, going by what stands {where}{unit}?",
            "{thing} stands as a number {where}: note it{unit}.",
            "Note {thing} as given {where}{unit}.",
            "Look {where} for {thing}{unit}, and write the number down.",
            "Which number is given {where} for {thing}{unit}?",
        ),
        "text": (
            "Which name is given {where} for {thing}?",
            "Find {where} {thing} and write the name down.",
            "Which words stand {where} for {thing}?",
            "Note {thing} as it is named {where}.",
            "{thing} is named {where}: write that down.",
            "Look {where} for {thing}, and keep the name.",
        ),
        "date": (
            "Find {where} {thing}, a full date.",
            "Which date is given {where} for {thing}?",
            "Note {thing} as dated {where}.",
            "Look {where} for {thing}, and write down day, month and year.",
            "What is {thing}, going by the date {where}?",
            "{thing} is dated {where}: keep that date.",
        ),
    }
)

#: What a label stands for, in other words; used where no other label of the page could be meant.
THINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "population": ("the number of people who live there", "the number of inhabitants"),
        "elevation": ("its height above the sea", "the height at which it lies above the sea"),
        "area": ("the size of its surface", "the extent of its surface"),
        "length": ("its length from end to end", "the whole of its length"),
        "capital": ("the seat of government", "the city that it is governed from"),
        "country": ("the nation it belongs to", "the nation on whose soil it lies"),
        "demonym": ("the word for somebody who lives there", "the word for its people"),
        "median age": ("the age that half of the people have passed",),
        "life expectancy": ("the number of years that a newborn may expect to live",),
        "coastline": ("the length of its sea shore", "the length of its shore"),
        "railways": ("the length of all its railway lines",),
        "land boundaries": ("the length of all its borders with neighbours",),
        "distance to the capital": ("the distance from there to the capital",),
        "distance to the nearest city": ("the distance from there to the closest city",),
        "distance to the nearest airport": ("the distance from there to the closest airport",),
        "rank in the country": ("its place when the country's cities are sorted by population",),
        "largest city": ("the most populous city",),
        "serves": ("the place that the airport is meant for",),
        "highest elevation": ("the height of its topmost point",),
        "lowest elevation": ("the height of its lowest point",),
        "mean elevation": ("the average height of its ground",),
        "official name": ("the full name that it uses in state affairs",),
    }
)

#: How a clue names what an earlier clue gave.
REFERENCES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "page": (
            "the {noun} whose page you opened in clue {n}",
            "the {noun} that the page of clue {n} is about",
            "the {noun} described on the page of clue {n}",
            "the {noun} you reached in clue {n}",
            "the {noun} that clue {n} led you to",
            "the {noun} presented on the page of clue {n}",
        ),
        "value": (
            "the {noun} you named in clue {n}",
            "the {noun} that answers clue {n}",
            "the {noun} that is your answer to clue {n}",
            "the {noun} whose name you noted in clue {n}",
            "the {noun} that clue {n} asked you to name",
            "the {noun} you wrote down for clue {n}",
        ),
        "name": (
            "the name found in clue {n}",
            "the name that answers clue {n}",
            "the name you wrote down for clue {n}",
            "the name from clue {n}",
            "the words noted in clue {n}",
            "the answer to clue {n}",
        ),
        "whole": (
            "the whole part of the result of clue {n}",
            "the whole-number part of your figure from clue {n}",
            "the answer to clue {n} without its fraction",
            "the result of clue {n} with its decimals dropped",
            "your number from clue {n} cut to its whole part",
            "the integer part of the answer to clue {n}",
        ),
        "figure": (
            "the result of clue {n}",
            "your figure from clue {n}",
            "the answer to clue {n}",
            "the number you got in clue {n}",
            "your answer to clue {n}",
            "the number found in clue {n}",
        ),
    }
)
