from datetime import date, timedelta

SATURDAY = 5


def main(start: date, end: date, holidays: list[date] | None = None) -> dict:
    """Count the working days from one date to another, both included.

    Args:
        start: First day, as 2026-01-31.
        end: Last day.
        holidays: Days off besides Saturdays and Sundays.
    """
    if end < start:
        raise ToolError("end is before start", start=start, end=end)
    days = [start + timedelta(days=number) for number in range((end - start).days + 1)]
    off = set(holidays or [])
    working = [day for day in days if day.weekday() < SATURDAY and day not in off]
    return {
        "working_days": len(working),
        "days": len(days),
        "holidays_on_weekdays": sorted(day for day in off if start <= day <= end and day.weekday() < SATURDAY),
        "last_working_day": working[-1] if working else None,
    }
