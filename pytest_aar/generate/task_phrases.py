"""The wordings of roadblocks and merges; the rules of `phrases` hold here too."""

from collections.abc import Mapping
from types import MappingProxyType

#: Roadblocks by template, and merges.
TASKS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "geocode_elevation": (
            "How high, in metres, does the ground lie at {place}? Locate it on the map and "
            "look up the terrain there.",
            "Place {place} on the map and find the terrain's height at that point, in metres.",
            "Take the map coordinates of {place} and ask for the ground level there, in metres.",
        ),
        "geocode_distance": (
            "How many kilometres must one drive from {place} to {other}?",
            "Find the length of the road journey, in kilometres, that leads from {place} to "
            "{other}.",
            "Locate both {place} and {other}, and look up the driving distance from the "
            "first to the second in kilometres.",
        ),
        "directions_duration": (
            "How long does the drive from {place} to {other} take? Give whole minutes, "
            "dropping any fraction.",
            "Ask for a road route from {place} to {other} and note its duration in whole "
            "minutes, without the fraction.",
            "Someone sets out by car at {place} and heads for {other}: how many whole "
            "minutes are they on the road?",
        ),
        "weather_temperature": (
            "What was the day's highest temperature, in degrees Celsius, at {place} on {date}?",
            "Look into the weather records of {place}: how warm, in degrees Celsius, was "
            "the maximum on {date}?",
            "Find the maximum temperature in degrees Celsius recorded for {date} at {place}.",
        ),
        "weather_precipitation": (
            "How many millimetres of precipitation fell in all at {place} on {date}?",
            "Consult the weather records of {place} for {date}: what was the day's total "
            "precipitation in millimetres?",
            "Find the sum of precipitation, in millimetres, at {place} on the day {date}.",
        ),
        "weather_snowfall": (
            "How many centimetres of snow fell at {place} on {date}?",
            "Consult the weather records of {place} for {date}: what was the day's total "
            "snowfall in centimetres?",
            "It snowed at {place} on {date}. By how many centimetres in all?",
        ),
        "weather_sunshine": (
            "For how many seconds did the sun shine at {place} on {date}?",
            "Consult the weather records of {place} for {date}: how long was the day's "
            "sunshine, in seconds?",
            "Find the duration of sunshine, in seconds, at {place} on the day {date}.",
        ),
        "date_computation": (
            "How many days lie between the date of clue {date} and {until}?",
            "Count the days from the date you found in clue {date} to {until}.",
            "Reckon the number of days that separate the date of clue {date} from {until}.",
        ),
        "math_conversion": (
            "Turn {figure} from {unit_from} into {unit_to}, at {factor} {unit_to} to one "
            "{unit_one}, and drop the fraction.",
            "Read {figure} as {unit_from} and express it in {unit_to} (one {unit_one} makes "
            "{factor} {unit_to}); keep the whole part only.",
            "What is {figure}, taken in {unit_from}, when given in {unit_to}? Use {factor} "
            "per {unit_one} and cut off what follows the decimal point.",
        ),
        "poi_count": (
            "Run a place search for {category} near {place}. How many results does it return?",
            "How many {category} does a search of places list near {place}?",
            "Look for {category} near {place} on the map service and count the places it lists.",
        ),
        "place_rating": (
            "Run a place search for {category} near {place}. Which rating has the first result?",
            "A search of places for {category} near {place} gives a list: note the rating "
            "of its first entry.",
            "Look for {category} near {place} on the map service. How many stars, decimals "
            "included, has the place that comes first?",
        ),
        "country_population": (
            "How many people live in {country} according to the country data?",
            "Look up the population of {country} in the data on countries.",
            "Find the number of inhabitants that the country data give for {country}.",
        ),
        "country_area": (
            "How large, in square kilometres, is {country} according to the country data?",
            "Look up the area of {country}, in square kilometres, in the data on countries.",
            "Find the surface in square kilometres that the country data give for {country}.",
        ),
        "stock_price": (
            "At what price did the share traded as {ticker} close on {date}?",
            "Look up the closing price of the stock {ticker} for {date}.",
            "Find the price at the close of {date} for one share of {ticker}.",
        ),
        "stock_volume": (
            "How many shares of {ticker} changed hands on {date}?",
            "Look up the trading volume of the stock {ticker} for {date}.",
            "Find the number of shares of {ticker} traded on the day {date}.",
        ),
        "crypto_price": (
            "At what price did the pair {symbol} close on {date}?",
            "Look up the daily close of the crypto pair {symbol} for {date}.",
            "Find the closing price of the crypto market {symbol} for the day {date}.",
        ),
        "crypto_volume": (
            "How large was the volume traded in the pair {symbol} on {date}, in units of the coin?",
            "Look up the daily volume of the crypto pair {symbol} for {date}, counted in "
            "the coin itself.",
            "Find the day's trading volume of the crypto market {symbol} for {date}, in the "
            "coin's own units.",
        ),
        "merge_add": (
            "Add the whole parts of the results of clues {first} and {second}.",
            "Drop the fractions of the results of clue {first} and clue {second}, then give "
            "their sum.",
            "What do the results of clues {first} and {second} make together, fractions "
            "dropped first?",
        ),
        "merge_difference": (
            "By how much do the whole parts of the results of clues {first} and {second} differ?",
            "Drop the fractions of the results of clue {first} and clue {second}, then give "
            "the absolute difference.",
            "Cut the results of clues {first} and {second} to whole numbers and subtract "
            "the smaller from the larger.",
        ),
    }
)
