try:
    import ctypes, os
    libc = ctypes.CDLL(None, use_errno=True)

    class Spec(ctypes.Structure):
        _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]

    seen = []
    me = os.getpid()
    for pid in range(1, 3000):
        spec = Spec()
        clock = ((~pid) << 3) | 2
        if libc.syscall(228, ctypes.c_long(clock), ctypes.byref(spec)) == 0 and pid != me:
            seen.append((pid, spec.seconds, spec.nanoseconds))
    result = f"PWNED processor time of {seen[:6]}" if seen else "BLOCKED nobody else is seen"
except BaseException as e:
    result = 'BLOCKED ' + type(e).__name__ + ': ' + str(e)[:120]
