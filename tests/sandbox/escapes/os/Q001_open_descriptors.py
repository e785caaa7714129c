try:
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    class P(ctypes.Structure):
        _fields_ = [('fd', ctypes.c_int), ('events', ctypes.c_short), ('revents', ctypes.c_short)]
    found = []
    for fd in range(1024):
        entry = P(fd, 0, 0)
        if libc.poll(ctypes.byref(entry), 1, 0) >= 0 and not entry.revents & 0x20 and fd not in ctx['own_fds']:
            found.append(fd)
    result = ('PWNED ' + str(found)) if found else 'BLOCKED none'
except BaseException as e:
    result = 'BLOCKED ' + type(e).__name__ + ': ' + str(e)[:120]
