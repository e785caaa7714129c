try:
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    environ = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, 'environ')
    found, place = [], 0
    while environ and environ[place]:
        found.append(environ[place])
        place += 1
    secrets = [entry for entry in found if b'CANARY' in entry or b'PATH' in entry]
    result = ('PWNED ' + str(secrets)) if secrets else 'BLOCKED nothing in ' + str(len(found))
except BaseException as e:
    result = 'BLOCKED ' + type(e).__name__ + ': ' + str(e)[:120]
