from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def main(moment: datetime, cities: list[str], home: str = "UTC") -> list[dict]:
    """Tell what one moment is on the clocks of other time zones, and on which day.

    Args:
        moment: The moment, as 2026-03-01T15:00; without an offset it is meant in home.
        cities: Time zones by their IANA names, as Asia/Tokyo.
        home: The time zone of moment.
    """
    here = moment if moment.tzinfo else moment.replace(tzinfo=zone(home))
    return [clock(here, city) for city in cities]


def clock(here: datetime, city: str) -> dict:
    there = here.astimezone(zone(city))
    shift = (there.date() - here.date()).days
    return {
        "city": city,
        "time": f"{there:%H:%M}",
        "day": f"{there:%A}" + (f" ({shift:+d} day)" if shift else ""),
        "iso": there,
    }


def zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise ToolError(f"no time zone is called {name!r}", hint="use an IANA name such as Europe/Berlin") from None
