import http
import sys

tables = []


class Taker:
    def __eq__(self, other):
        tables.append(other)
        return True


http.HTTPStatus.__members__ == Taker()
getattr(http.HTTPStatus, "__members__") == Taker()
sys.implementation == Taker()
for table in tables:
    table.clear()
return [len(http.HTTPStatus.__members__) > 10, len(sys.implementation) > 2]
