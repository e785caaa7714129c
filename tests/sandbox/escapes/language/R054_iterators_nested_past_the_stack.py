x = iter([1])
for _ in range(300_000):
    x = map(abs, x)
return next(x)
