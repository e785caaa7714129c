try:
    import os, struct, time
    def frame(kind, payload, size=None):
        os.write(ctx['res_fd'], struct.pack('>IB', len(payload) if size is None else size, kind) + payload)
    while True:
        frame(5, b'["print", {"text": "' + b'x' * 60000 + b'"}]')
    time.sleep(600)
except BaseException as e:
    result = 'BLOCKED ' + type(e).__name__ + ': ' + str(e)[:120]
