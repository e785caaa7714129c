try:
    import os, struct, time
    def frame(kind, payload, size=None):
        os.write(ctx['res_fd'], struct.pack('>IB', len(payload) if size is None else size, kind) + payload)
    frame(9, b'{"code":"memory_limit","message":"x","limit":"PWNED","retry_after":"soon","diagnostics":7,"frames":1,"used":[],"call_id":{}}')
    time.sleep(600)
except BaseException as e:
    result = 'BLOCKED ' + type(e).__name__ + ': ' + str(e)[:120]
