try:
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    size = 4096
    page = libc.mmap(None, size, 3, 0x22, -1, 0)
    ctypes.memset(page, 0xc3, size)
    if libc.mprotect(ctypes.c_void_p(page), size, 5) != 0 and libc.pkey_mprotect(ctypes.c_void_p(page), size, 5, -1) != 0:
        raise OSError(ctypes.get_errno())
    ctypes.CFUNCTYPE(None)(page)()
    result = 'PWNED ran own code'
except BaseException as e:
    result = 'BLOCKED ' + type(e).__name__ + ': ' + str(e)[:120]
