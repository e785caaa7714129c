import ipaddress


class Text(str):
    def __hash__(self):
        return hash("27")

    def __eq__(self, other):
        return str.__eq__(self, other) or str.__eq__("27", other)


ipaddress.ip_network(("10.0.0.0", Text("8")))
return "PWNED" if ipaddress.ip_address("10.9.9.9") in ipaddress.ip_network("10.0.0.0/27") else "no"
