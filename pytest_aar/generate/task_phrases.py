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
            "Pin {place} on the map. How many metres above the sea is the terrain at the pin?",
            "A surveyor stands at the map position of {place}: which ground elevation, in metres, "
            "does the terrain model give?",
            "Find the elevation of the terrain, in metres, at the coordinates of {place}.",
        ),
        "geocode_distance": (
            "How many kilometres must one drive from {place} to {other}?",
            "Find the length of the road journey, in kilometres, that leads from {place} to "
            "{other}.",
            "Locate both {place} and {other}, and look up the driving distance from the "
            "first to the second in kilometres.",
            "How far is it by road, in kilometres, from {place} to {other}?",
            "Put {place} and {other} on the map. Which distance in kilometres does a driver cover "
            "who goes from the one to the other?",
            "Look up the driving distance in kilometres for a trip that begins at {place} and "
            "ends at {other}.",
        ),
        "directions_duration": (
            "How long does the drive from {place} to {other} take? Give whole minutes, "
            "dropping any fraction.",
            "Ask for a road route from {place} to {other} and note its duration in whole "
            "minutes, without the fraction.",
            "Someone sets out by car at {place} and heads for {other}: how many whole "
            "minutes are they on the road?",
            "How many minutes of driving lie between {place}, where you leave, and {other}, where "
            "you arrive? Keep whole minutes only.",
            "Ask for driving directions from {place} to {other}. How many minutes do they "
            "reckon with, fractions cut off?",
            "Plan a car journey that starts at {place} and ends at {other}, and write down its "
            "length in time: whole minutes, no fraction.",
        ),
        "weather_temperature": (
            "What was the day's highest temperature, in degrees Celsius, at {place} on {date}?",
            "Look into the weather records of {place}: how warm, in degrees Celsius, was "
            "the maximum on {date}?",
            "Find the maximum temperature in degrees Celsius recorded for {date} at {place}.",
            "How hot did it get at {place} on {date}? The weather archive knows the maximum in "
            "degrees Celsius.",
            "To how many degrees Celsius did the thermometer climb at most on {date} at {place}?",
            "Consult the weather archive for {place}: which daily maximum, in degrees Celsius, "
            "belongs to {date}?",
        ),
        "weather_precipitation": (
            "How many millimetres of precipitation fell in all at {place} on {date}?",
            "Consult the weather records of {place} for {date}: what was the day's total "
            "precipitation in millimetres?",
            "Find the sum of precipitation, in millimetres, at {place} on the day {date}.",
            "It was wet at {place} on {date}. How many millimetres of precipitation does the "
            "weather archive give for the day?",
            "What total of rain and snow, as millimetres of precipitation, came down at {place} on "
            "{date}?",
            "Ask the weather archive about {place} on {date}: how much precipitation was there "
            "from midnight to midnight, in millimetres?",
        ),
        "weather_snowfall": (
            "How many centimetres of snow fell at {place} on {date}?",
            "Consult the weather records of {place} for {date}: what was the day's total "
            "snowfall in centimetres?",
            "It snowed at {place} on {date}. By how many centimetres in all?",
            "Find the day's sum of snowfall, in centimetres, for {date} at {place}.",
            "How much fresh snow, in centimetres, does the weather archive give for {date} at "
            "{place}?",
            "Ask the weather archive about {place} on {date}: how many centimetres of snowfall "
            "did that day bring?",
        ),
        "weather_sunshine": (
            "For how many seconds did the sun shine at {place} on {date}?",
            "Consult the weather records of {place} for {date}: how long was the day's "
            "sunshine, in seconds?",
            "Find the duration of sunshine, in seconds, at {place} on the day {date}.",
            "How long was the sun out at {place} on {date}? The weather archive counts the "
            "sunshine in seconds.",
            "Look up the seconds of sunshine that the weather archive holds for {date} at {place}.",
            "Ask the weather archive about {place} on {date}: how many seconds of sunshine did the "
            "day have?",
        ),
        "date_computation": (
            "How many days lie between the date of clue {date} and {until}?",
            "Count the days from the date you found in clue {date} to {until}.",
            "Reckon the number of days that separate the date of clue {date} from {until}.",
            "How many days is {until} away from the date that answers clue {date}?",
            "Put the date of clue {date} and {until} on one calendar. How many days are they apart?",
            "Between the date noted in clue {date} and {until} time went by: how many days of it?",
        ),
        "math_conversion": (
            "Turn {figure} from {unit_from} into {unit_to}, at {factor} {unit_to} to one "
            "{unit_one}, and drop the fraction.",
            "Read {figure} as {unit_from} and express it in {unit_to} (one {unit_one} makes "
            "{factor} {unit_to}); keep the whole part only.",
            "What is {figure}, taken in {unit_from}, when given in {unit_to}? Use {factor} "
            "per {unit_one} and cut off what follows the decimal point.",
            "Convert {figure} from {unit_from} to {unit_to}; one {unit_one} counts as {factor} "
            "{unit_to}. Leave the fraction off.",
            "Someone who thinks in {unit_to} asks what {figure} in {unit_from} amounts to. With "
            "{factor} {unit_to} to the {unit_one}, tell them the whole part.",
            "Express {figure} in {unit_to} instead of {unit_from}, by the factor {factor} for each "
            "{unit_one}, and cut the outcome to a whole number.",
        ),
        "poi_count": (
            "Run a place search for {category} near {place}. How many results does it return?",
            "How many {category} does a search of places list near {place}?",
            "Look for {category} near {place} on the map service and count the places it lists.",
            "Search the map for {category} near {place}. How long is the list of places?",
            "A traveller looks on the map for {category} near {place}: how many places does the "
            "search offer?",
            "Count the {category} that a place search finds near {place}.",
        ),
        "place_rating": (
            "Run a place search for {category} near {place}. What rating does the first result have?",
            "A search of places for {category} near {place} gives a list: note the rating "
            "of its first entry.",
            "Look for {category} near {place} on the map service. How many stars, decimals "
            "included, does the place that comes first have?",
            "Search the map for {category} near {place}. How do visitors rate the place at the top "
            "of the list?",
            "A traveller looks on the map for {category} near {place} and takes the first place "
            "offered. Which rating does it have?",
            "What rating, with its decimals, goes with the first of the {category} that a place "
            "search finds near {place}?",
        ),
        "country_population": (
            "How many people live in {country} according to the country data?",
            "Look up the population of {country} in the data on countries.",
            "Find the number of inhabitants that the country data give for {country}.",
            "How many inhabitants does {country} have? Ask the country data, not the page.",
            "Consult the country data: which population do they state for {country}?",
            "By the data on countries, how large is the population of {country}?",
        ),
        "country_area": (
            "How large, in square kilometres, is {country} according to the country data?",
            "Look up the area of {country}, in square kilometres, in the data on countries.",
            "Find the surface in square kilometres that the country data give for {country}.",
            "How many square kilometres does {country} cover? Ask the country data, not the page.",
            "Consult the country data: which area, in square kilometres, do they state for "
            "{country}?",
            "By the data on countries, what is the area of {country} in square kilometres?",
        ),
        "stock_price": (
            "At what price did the share traded as {ticker} close on {date}?",
            "Look up the closing price of the stock {ticker} for {date}.",
            "Find the price at the close of {date} for one share of {ticker}.",
            "When the exchange closed on {date}, what did one share with the ticker {ticker} cost?",
            "Ask for the quotation of the stock {ticker} on {date} and note its closing price.",
            "What was the last price of the day, on {date}, for the stock that trades as {ticker}?",
        ),
        "stock_volume": (
            "How many shares of {ticker} changed hands on {date}?",
            "Look up the trading volume of the stock {ticker} for {date}.",
            "Find the number of shares of {ticker} traded on the day {date}.",
            "How large was the trading volume, in shares, of the stock {ticker} on {date}?",
            "Ask for the quotation of the stock {ticker} on {date} and note the volume traded.",
            "On {date} the stock with the ticker {ticker} found buyers: for how many shares in all?",
        ),
        "crypto_price": (
            "At what price did the pair {symbol} close on {date}?",
            "Look up the daily close of the crypto pair {symbol} for {date}.",
            "Find the closing price of the crypto market {symbol} for the day {date}.",
            "When {date} ended, at which price did the crypto pair {symbol} stand?",
            "Ask for the day's data of the crypto pair {symbol} on {date} and note the closing "
            "price.",
            "What was the last price of {date} for the coins traded as {symbol}?",
        ),
        "crypto_volume": (
            "How large was the volume traded in the pair {symbol} on {date}, in units of the coin?",
            "Look up the daily volume of the crypto pair {symbol} for {date}, counted in "
            "the coin itself.",
            "Find the day's trading volume of the crypto market {symbol} for {date}, in the "
            "coin's own units.",
            "How many coins changed hands in the crypto pair {symbol} on {date}?",
            "Ask for the day's data of the crypto pair {symbol} on {date} and note the volume, in "
            "coins.",
            "On {date} the crypto pair {symbol} was traded: how large was the volume, in units "
            "of the coin?",
        ),
        "merge_add": (
            "Add the whole parts of the results of clues {first} and {second}.",
            "Drop the fractions of the results of clue {first} and clue {second}, then give "
            "their sum.",
            "What do the results of clues {first} and {second} make together, fractions "
            "dropped first?",
            "Bring the two branches, clues {first} and {second}, together: cut both results to "
            "whole numbers and add them.",
            "Combine clues {first} and {second} into one number by adding the whole parts of "
            "their results.",
            "Give the total of the results of clues {first} and {second}, each without its "
            "decimals.",
        ),
        "merge_difference": (
            "By how much do the whole parts of the results of clues {first} and {second} differ?",
            "Drop the fractions of the results of clue {first} and clue {second}, then give "
            "the absolute difference.",
            "Cut the results of clues {first} and {second} to whole numbers and subtract "
            "the smaller from the larger.",
            "Bring the two branches, clues {first} and {second}, together: cut both results to "
            "whole numbers and give the gap between them.",
            "How far apart are the results of clues {first} and {second}, each without its "
            "decimals?",
            "Combine clues {first} and {second} into one number: the absolute difference of the "
            "whole parts of their results.",
        ),
    }
)
