try:
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    page = libc.mmap(None, 1 << 20, 3, 0x22, -1, 0)
    if libc.mlock(ctypes.c_void_p(page), 1 << 20) != 0:
        raise OSError(ctypes.get_errno())
    result = 'PWNED locked'
except BaseException as e:
    result = 'BLOCKED ' + type(e).__name__ + ': ' + str(e)[:120]
