from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")


def money(value):
    return Decimal(str(value)).quantize(CENT, ROUND_HALF_UP)


lines = []
for item in args["items"]:
    line = money(item["price"]) * item["quantity"]
    print(f"{item['quantity']} x {item['name']}: {line}")
    lines.append(line)

net = sum(lines, Decimal(0))
discount = money(net * Decimal(str(args["discount_percent"])) / 100)
tax = money((net - discount) * Decimal(str(args["tax_percent"])) / 100)
return {"net": net, "discount": discount, "tax": tax, "total": net - discount + tax}
