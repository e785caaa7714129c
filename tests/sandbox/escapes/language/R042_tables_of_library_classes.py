import calendar
import textwrap

textwrap.TextWrapper.unicode_whitespace_trans[97] = 98
calendar.HTMLCalendar.cssclasses[0] = "changed"
super(textwrap.TextWrapper, textwrap.TextWrapper())
return textwrap.TextWrapper(width=9).fill("banana")
