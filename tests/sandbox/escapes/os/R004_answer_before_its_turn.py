try:
    import os, struct, time
    def frame(kind, payload, size=None):
        os.write(ctx['res_fd'], struct.pack('>IB', len(payload) if size is None else size, kind) + payload)
    for kind in (2, 3, 1, 4, 10, 11, 12, 255):
        pass
    frame(8, b'"first"')
    frame(8, b'"PWNED second"')
    frame(6, b'{"id":1,"name":"client","payload":null}')
    time.sleep(600)
except BaseException as e:
    result = 'BLOCKED ' + type(e).__name__ + ': ' + str(e)[:120]
