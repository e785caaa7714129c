"""The standard library."""

import base64, bisect, calendar, collections, csv, datetime, decimal, difflib, fractions, hashlib, heapq, html, io, ipaddress
import itertools, json, math, random, re, statistics, string, struct, textwrap, time, unicodedata, urllib.parse, uuid, zlib, zoneinfo
from collections.abc import Mapping
rows = list(csv.DictReader(io.StringIO("a,b\n1,2\n")))
random.seed(4)
when = datetime.datetime.strptime("2024-03-31 12:00", "%Y-%m-%d %H:%M").replace(tzinfo=zoneinfo.ZoneInfo("Europe/Berlin"))
with decimal.localcontext() as context:
    context.prec = 5
    third = decimal.Decimal(1) / 3
result = [rows, random.randint(1, 9), when.isoformat(), third, decimal.Decimal(1) / 3, fractions.Fraction(1, 3) + 1 == fractions.Fraction(4, 3),
          hashlib.sha256(b"x").hexdigest()[:8], re.sub(r"(\w)(\d)", r"\2\1", "a1b2"), json.loads(json.dumps({"a": [1]})),
          statistics.mean([1, 2, 3]), heapq.nsmallest(2, [3, 1, 2]), urllib.parse.parse_qs("a=1&b=2"), textwrap.shorten("a b c d", 5, placeholder="-"),
          isinstance({}, Mapping), collections.Counter("aab").most_common(1), list(itertools.pairwise([1, 2, 3])), math.isclose(0.1 + 0.2, 0.3),
          struct.unpack("<I", b"\x01\0\0\0"), zlib.decompress(zlib.compress(b"abc")), base64.b64encode(b"ab"), calendar.monthrange(2024, 2),
          difflib.get_close_matches("appel", ["apple"]), html.escape("<"), str(ipaddress.ip_address("10.0.0.1") + 1), unicodedata.name("ü"),
          string.capwords("a b"), bisect.bisect([1, 3], 2), time.strptime("2024", "%Y").tm_year, str(uuid.uuid5(uuid.NAMESPACE_DNS, "x"))]
