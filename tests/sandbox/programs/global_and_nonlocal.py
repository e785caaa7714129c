"""Global and nonlocal."""

total = 0
def outer():
    count = 0
    def inner():
        nonlocal count
        global total
        count += 1
        total += 10
        return count
    inner()
    return inner()
result = [outer(), total]
