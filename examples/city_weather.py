# /// tool
# permissions = {net = ["127.0.0.1"], secrets = ["WEATHER_KEY"]}
# idempotency = "safe"
# ///
from scriptool import ToolError, ctx


def main(city: str, api: str = "http://127.0.0.1:8799") -> dict:
    """Tell the weather of a city now: temperature in degrees Celsius, wind in km/h, and a few words.

    Args:
        city: Name of the city, as Paris.
        api: Address of the weather service.
    """
    answer = ctx.http.get(
        f"{api}/v1/current",
        params={"q": city},
        headers={"Authorization": f"Bearer {ctx.secret('WEATHER_KEY')}"},
        timeout=5,
    )
    if answer.status_code == 404:
        raise ToolError(f"the weather service knows no city {city!r}", city=city)
    now = answer.raise_for_status().json()
    return {"city": now["name"], "celsius": round(now["temp_c"], 1), "wind_kmh": now["wind_kph"], "sky": now["text"]}
