try:
    import os, struct
    body = b',' * 1_100_000 + b'"' + b'\\"' * 60_000
    data = memoryview(struct.pack('>IB', len(body), 6) + body)
    while data:
        data = data[os.write(ctx['res_fd'], data):]
    os.read(ctx['res_fd'], 1000)
    result = 'BLOCKED it was answered'
except BaseException as e:
    result = 'BLOCKED ' + type(e).__name__ + ': ' + str(e)[:120]
