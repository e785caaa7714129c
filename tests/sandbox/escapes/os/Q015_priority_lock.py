try:
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    word = ctypes.c_int(0)
    number = 202 if ctx['machine'] == 'x86_64' else 98
    if libc.syscall(number, ctypes.byref(word), 6, 0, None, None, 0) != 0:
        raise OSError(ctypes.get_errno())
    result = 'PWNED locked'
except BaseException as e:
    result = 'BLOCKED ' + type(e).__name__ + ': ' + str(e)[:120]
