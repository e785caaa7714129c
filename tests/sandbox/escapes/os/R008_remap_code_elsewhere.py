try:
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mremap.restype = ctypes.c_void_p
    libc.mremap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p]
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    code = ctypes.cast(libc.labs, ctypes.c_void_p).value & ~4095
    target = libc.mmap(None, 4096, 3, 0x22, -1, 0)
    # a page of code moved over a writable one keeps its protection; is it writable afterwards?
    moved = libc.mremap(code, 4096, 4096, 1 | 2 | 4, target)
    if moved in (None, 2**64 - 1):
        result = f"BLOCKED mremap: {ctypes.get_errno()}"
    else:
        ctypes.memmove(moved, b"\x90\x90\xc3", 3)
        result = "PWNED wrote into a page of code"
except BaseException as e:
    result = 'BLOCKED ' + type(e).__name__ + ': ' + str(e)[:120]
