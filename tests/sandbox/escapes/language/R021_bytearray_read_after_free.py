class Clearing:
    """Asked for the start after the address was taken, gives the memory back to others."""

    def __index__(self):
        b.clear()
        Clearing.others = [bytes([80] * 68) for _ in range(1000)]
        return 0


b = bytearray(100)
return "PWNED" if b.count(b"P", Clearing(), 100) > 0 else "no"
