try:
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    limit = (ctypes.c_uint64 * 2)(1, 1)
    old = (ctypes.c_uint64 * 2)()
    import os
    found = [pid for pid in [os.getppid(), *range(1, 40), ctx['parent']] if libc.prlimit(pid, 9, None, old) == 0 and pid != os.getpid()]
    result = ('PWNED ' + str(found)) if found else 'BLOCKED none'
except BaseException as e:
    result = 'BLOCKED ' + type(e).__name__ + ': ' + str(e)[:120]
