import calendar

for name in ("prweek", "prmonth", "pryear"):
    if hasattr(calendar.TextCalendar(), name):
        return "PWNED " + name
