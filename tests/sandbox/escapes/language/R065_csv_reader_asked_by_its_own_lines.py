import csv


class Lines:
    def __init__(self):
        self.count = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.count += 1
        if self.count == 1:
            next(reader)
            return "a,b"
        if self.count < 5:
            return "c,d"
        raise StopIteration


reader = csv.reader(Lines())
return [row for row in reader]
