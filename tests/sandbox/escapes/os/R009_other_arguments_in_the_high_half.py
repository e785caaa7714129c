try:
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    high = 1 << 32
    through = []
    limit = (ctypes.c_ulong * 2)(1 << 40, 1 << 40)
    def tried(name, *arguments):
        ctypes.set_errno(0)
        if libc.syscall(*[ctypes.c_ulong(one) if isinstance(one, int) else one for one in arguments]) >= 0:
            through.append(name)
    tried("limits of the parent", 302, high | 1, 9, ctypes.byref(limit), None)
    tried("number of files", 302, high, high | 7, ctypes.byref(limit), None)
    tried("executable memory", 9, 0, 4096, high | 7, 0x22, 2**64 - 1, 0)
    tried("executable memory, only in the high half", 9, 0, 4096, (4 << 32) | 7, 0x22, 2**64 - 1, 0)
    tried("merged pages", 28, 0, 0, high | 12)
    tried("lock with an owner", 202, ctypes.byref(limit), high | 6, 0, None, None, 0)
    result = f"PWNED {through}" if through else "BLOCKED the high half changes nothing"
except BaseException as e:
    result = 'BLOCKED ' + type(e).__name__ + ': ' + str(e)[:120]
