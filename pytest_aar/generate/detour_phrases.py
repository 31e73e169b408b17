"""The wordings of detours and finish lines; the rules of `phrases` hold here too."""

from collections.abc import Mapping
from types import MappingProxyType

#: Detours by transform. {figure} is a number (fraction and sign dropped), {name} a text.
DETOURS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "next_prime": (
            "Find the smallest prime number greater than {figure}.",
            "Which prime comes next after {figure}?",
            "Go up from {figure} to the first prime strictly above it.",
            "Climb the number line from {figure}: which prime do you meet first? The number "
            "itself does not count.",
            "Name the closest prime beyond {figure}.",
            "Look past {figure} for the nearest larger prime.",
        ),
        "num_divisors": (
            "How many positive divisors does {figure} have, one and itself included?",
            "Count all positive whole numbers that divide {figure} without remainder.",
            "Into how many different equal group sizes can {figure} be split, from one up "
            "to itself? Count its divisors.",
            "List every divisor of {figure}, from one to the number itself. How long is the list?",
            "By how many positive whole numbers can {figure} be divided without a remainder?",
            "Tally the divisors of {figure}, counting one and the number itself.",
        ),
        "sum_prime_factors": (
            "Add up the distinct prime factors of {figure}, each taken once.",
            "Which sum do the different primes dividing {figure} make, each counted once?",
            "Factor {figure} and sum its primes, repeated ones only once.",
            "Break {figure} down into primes, strike out repetitions, and total what is left.",
            "What do you get by adding the different prime factors of {figure} together?",
            "Collect the primes that divide {figure}, one of each, and give their total.",
        ),
        "largest_prime_factor": (
            "What is the largest prime that divides {figure}?",
            "Factor {figure} into primes and keep the greatest.",
            "Find the greatest prime factor of {figure}.",
            "Of all primes dividing {figure}, which is the biggest?",
            "Break {figure} down into primes. Which is the highest of them?",
            "Name the largest of the prime factors of {figure}.",
        ),
        "roman_numeral_letter_count": (
            "Write {figure} as a Roman numeral: how many letters does it take?",
            "How many characters does {figure} take in Roman numerals?",
            "A Roman mason carves {figure}. How many letters must he cut?",
            "Turn {figure} into a Roman numeral and count its letters.",
            "Put {figure} the Roman way, in M, D, C, L, X, V and I. How many symbols is that?",
            "Count the characters of the Roman numeral for {figure}.",
        ),
        "binary_1bit_count": (
            "Write {figure} in binary and count the ones.",
            "How many ones does {figure} have in base two?",
            "Count the set bits of {figure} in its binary form.",
            "Turn {figure} into binary. How often does the digit 1 occur?",
            "In base two, {figure} is a row of zeros and ones; count the ones.",
            "How many bits are set when {figure} is stored in binary?",
        ),
        "digit_reversal": (
            "Read the digits of {figure} backwards; leading zeros vanish.",
            "Reverse the decimal digits of {figure}, dropping zeros that come to the front.",
            "Which number appears when {figure} is written from back to front?",
            "Flip the order of the digits of {figure}, last to first.",
            "Hold {figure} up to a mirror, so that its digits run from right to left. Which number "
            "is it now?",
            "Write {figure} with its digits in reverse order.",
        ),
        "digital_root": (
            "Sum the decimal digits of {figure}, and again, until a single digit is left.",
            "What is the digital root of {figure}?",
            "Keep adding up the digits of {figure} until only one digit remains.",
            "Reduce {figure} to its digital root.",
            "Add the digits of {figure}, then those of the outcome, and so on till one digit is "
            "left.",
            "Boil {figure} down to its digital root by repeated digit sums.",
        ),
        "digit_sum": (
            "Add up the decimal digits of {figure}, once.",
            "What do the decimal digits of {figure} sum to?",
            "Take {figure} apart into its digits and add them together a single time.",
            "Give the sum of the digits of {figure}, without going on to sum that again.",
            "Which total do the digits of {figure} make?",
            "Work out the digit sum of {figure}, one round only.",
        ),
        "day_of_week": (
            "Take {figure} as a year: on which weekday does its first of January fall? Monday "
            "counts 1, Sunday 7.",
            "On which day of the week did the year numbered by {figure} begin (Monday is 1, "
            "Sunday 7)?",
            "Read {figure} as a year and number the weekday of its New Year's Day, Monday "
            "being 1 and Sunday 7.",
            "Number the days of the week from Monday as 1 to Sunday as 7. Which number falls on "
            "the first of January if {figure} is the year?",
            "Let {figure} be a year. Give the weekday on which it opens as a number, from 1 for "
            "Monday to 7 for Sunday.",
            "Which weekday is the first day of the year that {figure} stands for? Answer with 1 "
            "for Monday and so on, up to 7 for Sunday.",
        ),
        "leap_years_to_2000": (
            "Take {figure} as a year: how many leap years lie between it and the year 2000, "
            "both ends included?",
            "Count the leap years from the year numbered by {figure} to 2000 in either "
            "direction, both ends included.",
            "Read {figure} as a year. How many years from it to 2000, inclusive, are leap years?",
            "Let {figure} be a year. How many leap years are there from it to 2000, or from 2000 "
            "to it if it is the later one, with both ends?",
            "How often was there a 29 February between the year that {figure} stands for and 2000, "
            "both years included? In other words: count the leap years.",
            "Tally the leap years in the span between 2000 and {figure}, read as a year, with both "
            "years belonging to the span.",
        ),
        "vowel_count": (
            "How many vowels (a, e, i, o, u) are there in {name}?",
            "Count the letters a, e, i, o and u in {name}.",
            "Spell out {name}: how often does one of a, e, i, o, u occur?",
            "Strike everything but a, e, i, o and u from {name}. How many letters remain?",
            "Tally the vowels of {name}; y is not one of them.",
            "Going through {name} letter by letter, how many vowels (a, e, i, o, u) do you meet?",
        ),
        "alpha_position_first_letter": (
            "Which place in the alphabet does the first letter of {name} hold (A is 1)?",
            "Take the initial of {name} and number it by the alphabet, A being 1.",
            "Turn the first letter of {name} into its position in the alphabet, counting "
            "from A as 1.",
            "Look at the first letter of {name}. How far along the alphabet is it, if A is 1?",
            "Counting the alphabet from A as 1, at which number do you meet the first letter of "
            "{name}?",
            "Give the first letter of {name} as its number in the alphabet, from A, 1, to Z.",
        ),
        "scrabble_score": (
            "What would {name} score with the letter values of English Scrabble, every "
            "letter counted, without bonuses?",
            "Add up the English Scrabble values of all letters of {name}, no premium squares.",
            "Lay {name} in English Scrabble tiles: how many points are the letters worth on "
            "their own?",
            "Count the points that the letters of {name} bring in English Scrabble, leaving "
            "coloured squares out.",
            "In English Scrabble each letter has its points. Which total do those of {name} make, "
            "without any bonus?",
            "How many points of English Scrabble are in {name}, letter by letter and without "
            "premiums?",
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
            "To finish, put the results of clues {figures} together, whole parts only: the digit "
            "in the ones place of that sum is the answer.",
            "Last of all, sum up what clues {figures} gave, fractions cut off, and answer with the "
            "remainder that the sum leaves on division by ten.",
            "The race ends with an addition over clues {figures}: take whole parts, add them, and "
            "hand in the last digit.",
        ),
        "difference": (
            "Take the absolute difference between the whole parts of the results of clues "
            "{figures}. Its last digit is your answer.",
            "Finish line: cut the results of clues {figures} to whole numbers, subtract the "
            "smaller from the larger, and keep only the final digit.",
            "Your answer is the units digit of the gap between the results of clues "
            "{figures}, fractions dropped first.",
            "To finish, see how far apart the results of clues {figures} are, whole parts only: "
            "the digit in the ones place of that difference is the answer.",
            "Last of all, subtract the smaller from the larger of what clues {figures} gave, "
            "fractions cut off, and answer with the remainder that this leaves on division by ten.",
            "The race ends with a subtraction over clues {figures}: take whole parts, the smaller "
            "from the larger, and hand in the last digit.",
        ),
        "digital_root": (
            "Add the whole parts of the results of clues {figures}, then sum the digits "
            "again and again until one digit is left: that is your answer.",
            "Finish line: drop the fractions of the results of clues {figures}, total them, "
            "and reduce the total to its digital root.",
            "Your answer is the digital root of the sum of the results of clues {figures}, "
            "each cut to its whole part.",
            "To finish, put the results of clues {figures} together, whole parts only, and answer "
            "with the digital root of that sum.",
            "Last of all, sum up what clues {figures} gave, fractions cut off; then add the digits "
            "of the sum over and over until a single digit is left to hand in.",
            "The race ends with an addition over clues {figures}: take whole parts, add them, and "
            "hand in the digital root of the total.",
        ),
    }
)
