try:
    import os, struct
    part = b'[' * 190 + b']' * 190 + b','
    body = b'{"id":1, "name":"client","payload":[' + (part * ((8 << 20) // 382))[:-1] + b']}'
    data = memoryview(struct.pack('>IB', len(body), 6) + body)
    while data:
        data = data[os.write(ctx['res_fd'], data):]
    os.read(ctx['res_fd'], 1000)
    result = 'BLOCKED it was answered'
except BaseException as e:
    result = 'BLOCKED ' + type(e).__name__ + ': ' + str(e)[:120]
