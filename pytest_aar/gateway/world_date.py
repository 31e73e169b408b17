"""When what a world says is true."""

from datetime import datetime

from pytest_aar.option_values import wiki_time
from pytest_aar.settings import Settings, zim_choice


def world_date(settings: Settings, now: datetime) -> str:
    """The day of the sandbox or of a ZIM file's articles; of the live web the time that was chosen, or `now`.

    Raises:
        ConfigurationError: the ZIM file can't be had.
    """
    if settings.world == "sandbox":
        from pytest_aar.world import load  # noqa: PLC0415 - opens the data file

        return load().date
    choice = zim_choice(settings.world)
    if choice is None:
        return settings.wiki_at or wiki_time(now)
    from .zim_world import zim_file  # noqa: PLC0415 - only this world needs it

    file = zim_file(choice, settings)
    return (file.edition.date if file is not None else "") or wiki_time(now)
