try:
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    word = (ctypes.c_uint * 4)()
    through = []
    for operation in list(range(2, 14)) + [2 | 128, 6 | 256, 3 | 128, 5 | 128, 11, 12, 13]:
        if operation & 127 in (9,):
            continue
        ctypes.set_errno(0)
        got = libc.syscall(202, ctypes.byref(word), operation, 1, None, ctypes.byref(word, 8), 0)
        if ctypes.get_errno() != 1:
            through.append((operation, got, ctypes.get_errno()))
    result = f"PWNED {through}" if through else "BLOCKED only wait and wake"
except BaseException as e:
    result = 'BLOCKED ' + type(e).__name__ + ': ' + str(e)[:120]
