try:
    import os, struct, time
    def frame(kind, payload, size=None):
        os.write(ctx['res_fd'], struct.pack('>IB', len(payload) if size is None else size, kind) + payload)
    frame(8, b'', 1000)
    while True:
        os.write(ctx['res_fd'], b' ')
        time.sleep(0.01)
    time.sleep(600)
except BaseException as e:
    result = 'BLOCKED ' + type(e).__name__ + ': ' + str(e)[:120]
