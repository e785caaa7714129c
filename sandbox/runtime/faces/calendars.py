"""`calendar` for scripts: its classes without what prints to the stdout of their process."""

import calendar
from typing import Any

from sandbox.runtime.remade import remade

CALENDAR: dict[str, Any] = {
    "TextCalendar": remade(calendar.TextCalendar, {}, without=("prweek", "prmonth", "pryear")),
}
