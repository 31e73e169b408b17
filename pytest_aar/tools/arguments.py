"""The arguments of the 19 tools, as pydantic models: their JSON Schema is what agents see."""

import re
from datetime import date
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)

from pytest_aar.argument_names import names_of, spelled_out

_LAT_LNG = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*")

#: Arguments that become a part of an address hold nothing that would lead to another one.
_SYMBOL = re.compile(r"[.-]?[A-Za-z0-9^][A-Za-z0-9.=^&_-]*")
_ID = re.compile(r"[A-Za-z0-9_-]+")
_COUNTRY = re.compile(r"[\w\s.,'`()&\u2019\u02bb\u02bc\u2013-]+")


def lat_lng(text: str) -> tuple[float, float] | None:
    """The two numbers of a text like "48.85,2.35", or None if it is anything else."""
    found = _LAT_LNG.fullmatch(text)
    return (float(found[1]), float(found[2])) if found else None


def _a_number(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("expected a number")  # noqa: TRY004 - what pydantic catches
    return value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("expected some text")
    return value.strip()


def _calendar_day(value: str) -> str:
    try:
        return date.fromisoformat(value.strip()).isoformat()
    except ValueError:
        raise ValueError("expected a day of the calendar as YYYY-MM-DD") from None


def _symbol(value: str) -> str:
    """A ticker; Yahoo parts the classes of a share by a hyphen where others take a slash."""
    symbol = value.replace("/", "-")
    if not _SYMBOL.fullmatch(symbol):
        raise ValueError("expected a symbol of letters, digits and . - = ^ & _, such as BRK-B")
    return symbol


def _id(value: str) -> str:
    found = value.removeprefix("places/")
    if not _ID.fullmatch(found):
        raise ValueError("expected an id of letters, digits, - and _, as from maps_search_places")
    return found


def _country(value: str) -> str:
    if not _COUNTRY.fullmatch(value) or not any(map(str.isalpha, value)):
        raise ValueError("expected a name of letters, spaces and . , ' - ( ) &, or a code")
    return value


def _number_as_text(value: Any) -> Any:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else value


def _point(value: Any) -> Any:
    pair = lat_lng(value) if isinstance(value, str) else None
    return {"latitude": pair[0], "longitude": pair[1]} if pair else value


# Bounds stand before the check for booleans: only so does their JSON Schema say `minimum`.
_NUMBER = BeforeValidator(_a_number)
_Latitude = Annotated[float, Field(ge=-90, le=90, allow_inf_nan=False), _NUMBER]
_Longitude = Annotated[float, Field(ge=-180, le=180, allow_inf_nan=False), _NUMBER]
_Radius = Annotated[float, Field(gt=0, le=50_000, allow_inf_nan=False), _NUMBER]
_Seconds = Annotated[float, Field(gt=0, le=60, allow_inf_nan=False), _NUMBER]
_Offset = Annotated[int, Field(ge=0), _NUMBER]
_Results = Annotated[int, Field(ge=1, le=100), _NUMBER]
Text = Annotated[str, Field(min_length=1, max_length=2_000), AfterValidator(_not_blank)]
Day = Annotated[
    str,
    AfterValidator(_calendar_day),
    Field(json_schema_extra={"format": "date"}, description="YYYY-MM-DD"),
]
TravelMode = Literal["driving", "walking", "bicycling", "transit"]
Mode = Annotated[TravelMode, Field(description="how to travel")]
Places = Annotated[
    list[Text],
    Field(min_length=1, max_length=25, description='addresses, or "latitude,longitude" texts'),
]
Select = Annotated[
    list[Text] | None,
    Field(
        max_length=50,
        description='paths such as "daily.precipitation_sum[0]": only these values come back',
    ),
]


class Arguments(BaseModel):
    """What all arguments share: unknown names are refused."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, hide_input_in_errors=True, defer_build=True
    )


class Point(Arguments):
    """A place on the globe."""

    latitude: _Latitude = Field(
        description="degrees, north positive",
        validation_alias=AliasChoices(*names_of("latitude")),
    )
    longitude: _Longitude = Field(
        description="degrees, east positive",
        validation_alias=AliasChoices(*names_of("longitude")),
    )


_AnyPoint = Annotated[Point, BeforeValidator(_point)]


class FetchWebpage(Arguments):
    """Arguments of fetch_webpage."""

    url: Text = Field(description="address of the page, http or https")
    section: Annotated[Text | None, BeforeValidator(_number_as_text)] = Field(
        default=None,
        description="title or number of one section, from the outline in the page's head",
    )
    offset: _Offset = Field(default=0, description="first character to return, for long pages")
    raw_html: bool = Field(default=False, description="the HTML itself instead of markdown")


class WebSearch(Arguments):
    """Arguments of web_search."""

    query: Text = Field(description="what to look for")
    num_results: _Results = Field(default=10, description="how many results")
    gl: Text | None = Field(default=None, description="country code, such as us")
    hl: Text | None = Field(default=None, description="language code, such as en")


class Geocode(Arguments):
    """Arguments of maps_geocode."""

    address: Text = Field(description="address or name of a place")


class ReverseGeocode(Point):
    """Arguments of maps_reverse_geocode."""


class Elevation(Arguments):
    """Arguments of maps_elevation."""

    locations: list[_AnyPoint] = Field(min_length=1, max_length=100, description="points")


class DistanceMatrix(Arguments):
    """Arguments of maps_distance_matrix."""

    origins: Places
    destinations: Places
    mode: Mode = "driving"


class Directions(Arguments):
    """Arguments of maps_directions."""

    origin: Text = Field(description='address, or "latitude,longitude"')
    destination: Text = Field(description='address, or "latitude,longitude"')
    mode: Mode = "driving"


class SearchPlaces(Arguments):
    """Arguments of maps_search_places."""

    query: Text = Field(description="kind of place and where, such as museums near Lyon, France")
    location: _AnyPoint | None = Field(default=None, description="prefer places around this point")
    radius: _Radius | None = Field(default=None, description="metres around `location`")


class PlaceDetails(Arguments):
    """Arguments of maps_place_details."""

    place_id: Annotated[Text, AfterValidator(_id)] = Field(
        description="as returned by maps_search_places"
    )


class WeatherHistorical(Point):
    """Arguments of weather_historical."""

    start_date: Day
    end_date: Day
    select: Select = None

    @model_validator(mode="before")
    @classmethod
    def _one_day(cls, values: Any) -> Any:
        if not isinstance(values, dict) or "date" not in values:
            return values
        rest = {name: value for name, value in values.items() if name != "date"}
        return spelled_out({"date": values["date"]}) | rest

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.end_date < self.start_date:
            raise ValueError(f"end_date {self.end_date} lies before start_date {self.start_date}")
        return self


class WeatherForecast(Point):
    """Arguments of weather_forecast."""

    select: Select = None


class PythonExecuteCode(Arguments):
    """Arguments of python_execute_code."""

    code: str = Field(min_length=1, max_length=200_000, description="Python 3; print the result")
    timeout_seconds: _Seconds = Field(default=10, description="seconds of wall time")


class PythonGenerateCode(Arguments):
    """Arguments of python_generate_code."""

    description: Annotated[str, Field(min_length=1, max_length=20_000)] = Field(
        description="what the code should do"
    )
    model: Text | None = Field(default=None, description="model to ask; the race's own by default")
    extra_instructions: str | None = Field(
        default=None, max_length=20_000, description="further wishes"
    )


class Country(Arguments):
    """Arguments of the two tools on countries."""

    country: Annotated[Text, AfterValidator(_country)] = Field(
        description="common or official name, or two- or three-letter code"
    )


class Stock(Arguments):
    """Arguments of the two tools on stocks."""

    ticker: Annotated[Text, AfterValidator(_symbol)] = Field(
        description="symbol as Yahoo writes it, such as AAPL or SHEL.L"
    )
    date: Day


class Crypto(Arguments):
    """Arguments of the two tools on crypto currencies."""

    symbol: Text = Field(description="pair as Binance writes it, such as BTCUSDT")
    date: Day
