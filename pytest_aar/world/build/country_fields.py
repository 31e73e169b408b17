"""Which fields of the Factbook a country's page shows, and where."""

#: Section -> (Factbook section, field) whose texts become paragraphs, in this order.
PROSE: dict[str, tuple[tuple[str, str], ...]] = {
    "History": (("Introduction", "Background"),),
    "Geography": (
        ("Geography", "Location"),
        ("Geography", "Terrain"),
        ("Geography", "Geography - note"),
        ("Geography", "Natural resources"),
        ("Geography", "Natural hazards"),
    ),
    "Climate": (("Geography", "Climate"),),
    "Demographics": (
        ("People and Society", "Population distribution"),
        ("People and Society", "Ethnic groups"),
        ("People and Society", "Religions"),
        ("People and Society", "Major urban areas - population"),
    ),
    "Government": (
        ("Government", "Government type"),
        ("Government", "Administrative divisions"),
        ("Government", "Flag"),
    ),
    "Economy": (
        ("Economy", "Economic overview"),
        ("Economy", "Industries"),
        ("Economy", "Agricultural products"),
        ("Economy", "Exports - partners"),
    ),
}

#: Section -> (label, Factbook section, field, part or None): rows of the section's table of figures.
FIGURES: dict[str, tuple[tuple[str, str, str, str | None], ...]] = {
    "Geography": (
        ("Land area", "Geography", "Area", "land"),
        ("Water area", "Geography", "Area", "water"),
        ("Land boundaries", "Geography", "Land boundaries", "total"),
        ("Coastline", "Geography", "Coastline", None),
        ("Mean elevation", "Geography", "Elevation", "mean elevation"),
        ("Forest", "Geography", "Land use", "forest"),
        ("Agricultural land", "Geography", "Land use", "agricultural land"),
        ("Irrigated land", "Geography", "Irrigated land", None),
    ),
    "Demographics": (
        ("Male population", "People and Society", "Population", "male"),
        ("Female population", "People and Society", "Population", "female"),
        ("Median age", "People and Society", "Median age", "total"),
        ("Population growth", "People and Society", "Population growth rate", None),
        ("Birth rate", "People and Society", "Birth rate", None),
        ("Death rate", "People and Society", "Death rate", None),
        ("Life expectancy", "People and Society", "Life expectancy at birth", "total population"),
        ("Urban population", "People and Society", "Urbanization", "urban population"),
        ("Fertility rate", "People and Society", "Total fertility rate", None),
    ),
    "Government": (
        ("Independence", "Government", "Independence", None),
        ("National holiday", "Government", "National holiday", None),
        ("Constitution", "Government", "Constitution", "history"),
        ("Suffrage", "Government", "Suffrage", None),
    ),
    "Economy": (
        ("GDP (official exchange rate)", "Economy", "GDP (official exchange rate)", None),
        ("Exports", "Economy", "Exports", None),
        ("Unemployment", "Economy", "Unemployment rate", None),
    ),
    "Transport": (
        ("Airports (Factbook)", "Transportation", "Airports", None),
        ("Heliports", "Transportation", "Heliports", None),
        ("Railways", "Transportation", "Railways", "total"),
        ("Merchant marine", "Transportation", "Merchant marine", "total"),
    ),
    "Communications": (
        ("Internet users", "Communications", "Internet users", "percent of population"),
        (
            *("Mobile telephones", "Communications"),
            *("Telephones - mobile cellular", "total subscriptions"),
        ),
    ),
}
ORDER = (
    *("History", "Geography", "Climate", "Demographics", "Government"),
    *("Economy", "Transport", "Communications"),
)
