import datetime


class Format(str):
    def __hash__(self):
        return hash("%d//%m//%Y")

    def __eq__(self, other):
        return True


try:
    datetime.datetime.strptime("01//02//2024", Format("%m//%d//%Y"))
except BaseException as e:
    pass
return "PWNED" if datetime.datetime.strptime("01//02//2024", "%d//%m//%Y").month == 1 else "no"
