import csv

csv.register_dialect("excel", delimiter=";")
row = next(csv.DictReader(["a,b", "1,2"]))
return "no" if "a" in row else "PWNED"
