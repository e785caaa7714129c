try:
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    got = []
    for descriptor in range(0, 20):
        where = libc.mmap(None, 4096, 3, 1, descriptor, 0)
        if where not in (None, 2**64 - 1):
            got.append(descriptor)
    result = f"PWNED mapped descriptors {got} shared" if got else "BLOCKED nothing to map"
except BaseException as e:
    result = 'BLOCKED ' + type(e).__name__ + ': ' + str(e)[:120]
