try:
    import os, struct, time
    def frame(kind, payload, size=None):
        os.write(ctx['res_fd'], struct.pack('>IB', len(payload) if size is None else size, kind) + payload)
    for n in (b'true', b'-1', b'1e999', b'"1"', b'null', b'9' * 4000):
        frame(6, b'{"id": ' + n + b', "name": "x", "payload": null}')
    time.sleep(600)
except BaseException as e:
    result = 'BLOCKED ' + type(e).__name__ + ': ' + str(e)[:120]
