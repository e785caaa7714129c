try:
    import ctypes, os
    libc = ctypes.CDLL(None, use_errno=True)

    class Spec(ctypes.Structure):
        _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]

    result = "BLOCKED no clock of another process can be waited for"
    for pid in range(1, 200):
        if pid == os.getpid():
            continue
        clock = ((~pid) << 3) | 2
        wanted = Spec(0, 1)
        if libc.syscall(230, ctypes.c_long(clock), ctypes.c_int(1), ctypes.byref(wanted), None) == 0:
            result = f"PWNED waited for the processor time of {pid}"
            break
except BaseException as e:
    result = 'BLOCKED ' + type(e).__name__ + ': ' + str(e)[:120]
