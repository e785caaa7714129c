try:
    import ctypes, gc, os
    marker = b"MARK-OF-A-CALL-" + b"7f3a"
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    found = 0
    blocks = []
    for _ in range(200):
        where = libc.mmap(None, 1 << 20, 3, 0x22, -1, 0)
        if where in (None, 2**64 - 1):
            break
        data = ctypes.string_at(where, 1 << 20)
        if data.strip(b"\0"):
            found += 1
    result = f"PWNED {found} fresh blocks were not empty" if found else "BLOCKED fresh memory is empty"
except BaseException as e:
    result = 'BLOCKED ' + type(e).__name__ + ': ' + str(e)[:120]
