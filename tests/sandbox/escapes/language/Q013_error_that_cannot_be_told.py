class Text(str):
    def __getitem__(self, key):
        raise ValueError

    def __format__(self, spec):
        raise ValueError


class Mine(Exception):
    def __str__(self):
        return Text("x")


Mine.__name__ = Text("Mine")
raise Mine
return 1
