"""The wordings of the clue grammar: rule -> variants, with slots in braces.

No wording holds a page title, the name of a tool, a golden value, or arithmetic with literals: what
varies comes in through slots, and `verbalize` checks the outcome.
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
        ),
        "role": (
            "From the page of clue {from}, go on to the article that its summary box links "
            "as “{label}”.",
            "The summary box on the page of clue {from} links one article beside “{label}”; "
            "open it.",
            "Leave the page of clue {from} by the link that stands at “{label}” in its "
            "summary box.",
            "Next comes the page behind the “{label}” entry of the summary box of clue {from}.",
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
        ),
        "letters": (
            "In the section “{section}” on the page of clue {from}, one linked name begins "
            "with “{first}” and ends with “{last}”; open its article.",
            "The page of clue {from} links, under “{section}”, a single name that starts "
            "with “{first}” and closes with “{last}”. Go there.",
            "Follow from the page of clue {from} the only link of the section “{section}” "
            "whose text opens with “{first}” and finishes with “{last}”.",
            "Somewhere under “{section}” on the page of clue {from} stands a linked name "
            "running from “{first}” to “{last}”, its first and last letters; follow it.",
        ),
        "search": (
            "Now search the encyclopedia for the {kind} whose {label} is “{text}” and open "
            "its article.",
            "No link leads on: look up, by a search, the {kind} that has “{text}” as its {label}.",
            "Search for the {kind} with the {label} “{text}”; its article is the next stop.",
            "A {kind} is known by its {label}, “{text}”. Find its article with a search.",
        ),
    }
)

#: What to find on a page, by type of value; `where` says in which part of it.
FACTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "number": (
            "Note the figure given {where} for “{label}”{unit}.",
            "Which number stands {where} beside “{label}”{unit}?",
            "What does the page state {where} as “{label}”{unit}?",
            "Read off “{label}” {where}{unit}.",
        ),
        "text": (
            "Which name is given {where} for “{label}”?",
            "Write down what stands {where} beside “{label}”.",
            "What does the page name {where} as “{label}”?",
            "Note the entry {where} for “{label}”.",
        ),
        "date": (
            "Which date is given {where} for “{label}”?",
            "Note the day that stands {where} beside “{label}”.",
            "Find {where} the date of “{label}”.",
            "On which day, {where}, falls “{label}”?",
        ),
    }
)

#: Detours by transform. {figure} is a number (fraction and sign dropped), {name} a text.
DETOURS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "next_prime": (
            "Find the smallest prime number greater than {figure}.",
            "Which prime comes next after {figure}?",
            "Go up from {figure} to the first prime strictly above it.",
        ),
        "num_divisors": (
            "How many positive divisors has {figure}, one and itself included?",
            "Count all positive whole numbers that divide {figure}.",
            "Into how many different equal group sizes can {figure} be split, from one up "
            "to itself? Count its divisors.",
        ),
        "sum_prime_factors": (
            "Add up the distinct prime factors of {figure}, each taken once.",
            "Which sum do the different primes dividing {figure} make, each counted once?",
            "Factor {figure} and sum its primes, repeated ones only once.",
        ),
        "largest_prime_factor": (
            "What is the largest prime that divides {figure}?",
            "Factor {figure} into primes and keep the greatest.",
            "Find the greatest prime factor of {figure}.",
        ),
        "roman_numeral_letter_count": (
            "Write {figure} as a Roman numeral: how many letters does it take?",
            "How many characters has {figure} in Roman numerals?",
            "A Roman mason carves {figure}. How many letters must he cut?",
        ),
        "binary_1bit_count": (
            "Write {figure} in binary and count the ones.",
            "How many ones has {figure} in base two?",
            "Count the set bits of {figure} in its binary form.",
        ),
        "digit_reversal": (
            "Read the digits of {figure} backwards; leading zeros vanish.",
            "Reverse the decimal digits of {figure}, dropping zeros that come to the front.",
            "Which number appears when {figure} is written from back to front?",
        ),
        "digital_root": (
            "Sum the decimal digits of {figure}, and again, until a single digit is left.",
            "What is the digital root of {figure}?",
            "Keep adding up the digits of {figure} until only one digit remains.",
        ),
        "digit_sum": (
            "Add up the decimal digits of {figure}, once.",
            "What do the decimal digits of {figure} sum to?",
            "Take {figure} apart into its digits and add them together a single time.",
        ),
        "day_of_week": (
            "Take {figure} as a year: on which weekday falls its first of January? Monday "
            "counts 1, Sunday 7.",
            "On which day of the week did the year numbered by {figure} begin (Monday is 1, "
            "Sunday 7)?",
            "Read {figure} as a year and number the weekday of its New Year's Day, Monday "
            "being 1 and Sunday 7.",
        ),
        "leap_years_to_2000": (
            "Take {figure} as a year: how many leap years lie between it and the year 2000, "
            "both ends included?",
            "Count the leap years from the year numbered by {figure} to 2000 in either "
            "direction, both ends included.",
            "Read {figure} as a year. How many years from it to 2000, inclusive, are leap years?",
        ),
        "vowel_count": (
            "How many vowels (a, e, i, o, u) has {name}?",
            "Count the letters a, e, i, o and u in {name}.",
            "Spell out {name}: how often does one of a, e, i, o, u occur?",
        ),
        "alpha_position_first_letter": (
            "Which place in the alphabet has the first letter of {name} (A is 1)?",
            "Take the initial of {name} and number it by the alphabet, A being 1.",
            "Turn the first letter of {name} into its position in the alphabet, counting "
            "from A as 1.",
        ),
        "scrabble_score": (
            "What would {name} score with the letter values of English Scrabble, every "
            "letter counted, without bonuses?",
            "Add up the English Scrabble values of all letters of {name}, no premium squares.",
            "Lay {name} in English Scrabble tiles: how many points are the letters worth on "
            "their own?",
        ),
    }
)

#: The finish line. {figures} lists clue numbers.
FINISH: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "sum": (
            "Add the whole parts of the results of clues {figures}. The last digit of the "
            "sum is your answer.",
            "Finish line: drop the fractions of the results of clues {figures}, total them, "
            "and keep only the final digit.",
            "Your answer is the units digit of the sum of the results of clues {figures}, "
            "each cut to its whole part.",
        ),
        "difference": (
            "Take the absolute difference between the whole parts of the results of clues "
            "{figures}. Its last digit is your answer.",
            "Finish line: cut the results of clues {figures} to whole numbers, subtract the "
            "smaller from the larger, and keep only the final digit.",
            "Your answer is the units digit of the gap between the results of clues "
            "{figures}, fractions dropped first.",
        ),
        "digital_root": (
            "Add the whole parts of the results of clues {figures}, then sum the digits "
            "again and again until one digit is left: that is your answer.",
            "Finish line: drop the fractions of the results of clues {figures}, total them, "
            "and reduce the total to its digital root.",
            "Your answer is the digital root of the sum of the results of clues {figures}, "
            "each cut to its whole part.",
        ),
    }
)

#: How a clue names what an earlier clue gave.
REFERENCES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "page": (
            "the {noun} whose page you opened in clue {n}",
            "the {noun} that the page of clue {n} is about",
            "the {noun} described on the page of clue {n}",
        ),
        "value": (
            "the {noun} you named in clue {n}",
            "the {noun} that answers clue {n}",
            "the {noun} found in clue {n}",
        ),
        "name": (
            "the name found in clue {n}",
            "the name that answers clue {n}",
            "the name you wrote down for clue {n}",
        ),
        "whole": (
            "the whole part of the result of clue {n}",
            "the whole-number part of your figure from clue {n}",
            "the answer to clue {n} without its fraction",
        ),
        "figure": (
            "the result of clue {n}",
            "your figure from clue {n}",
            "the answer to clue {n}",
        ),
    }
)
