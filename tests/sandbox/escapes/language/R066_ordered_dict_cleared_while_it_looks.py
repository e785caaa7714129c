from collections import OrderedDict


class Key:
    clearing = False

    def __init__(self, number):
        self.number = number

    def __hash__(self):
        return 1

    def __eq__(self, other):
        if Key.clearing:
            Key.clearing = False
            table.clear()
        return self.number == other.number


for work in (
    lambda: table.move_to_end(Key(5)),
    lambda: table == OrderedDict((Key(i), i) for i in range(10)),
    lambda: table.pop(Key(7)),
    lambda: table.copy(),
):
    table = OrderedDict((Key(i), i) for i in range(10))
    Key.clearing = True
    try:
        work()
    except Exception:
        pass
return "no"
