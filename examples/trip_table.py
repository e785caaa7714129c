# /// tool
# permissions = {tools = ["city_weather", "world_clock", "convert_units"]}
# ///
import asyncio
from datetime import datetime

from lib.markdown import table

from scriptool import ToolError, ctx


async def main(cities: dict[str, str], moment: datetime, api: str = "http://127.0.0.1:8799") -> dict:
    """Compare cities for a trip: weather there and the local time of one moment, as one table.

    Calls city_weather, convert_units and world_clock for every city, and gives one answer instead of many.

    Args:
        cities: Time zone of each city, as {"Paris": "Europe/Paris"}.
        moment: The moment to tell the local time of, in UTC.
        api: Address of the weather service.
    """
    clocks = await ctx.call("world_clock", moment=moment, cities=list(cities.values()))
    rows = await asyncio.gather(*(row(city, clock["time"], api) for city, clock in zip(cities, clocks, strict=True)))
    rows.sort(key=lambda one: one.get("celsius", -1000), reverse=True)
    return {"rows": rows, "table": table(rows, ["city", "local time", "celsius", "wind mph", "sky"])}


async def row(city, time, api):
    try:
        weather = await ctx.call("city_weather", city=city, api=api)
    except ToolError as error:
        return {"city": city, "local time": time, "sky": str(error)}
    wind = await ctx.call("convert_units", value=weather["wind_kmh"], source="km", target="mi")
    return {
        "city": city,
        "local time": time,
        "celsius": weather["celsius"],
        "wind mph": round(wind["value"], 1),
        "sky": weather["sky"],
    }
