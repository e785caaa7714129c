"""Every assignment target."""

class Box: pass
box, data = Box(), {"k": [1, 2, 3]}
box.x = box.y = 1
box.x += 5
data["k"][0] *= 7
data["k"][1:] = [9]
(a, *b), [c, d] = [1, 2, 3], [4, 5]
for box.i, data["i"] in [(1, 2)]: pass
import contextlib
with contextlib.nullcontext(3) as box.w: pass
del box.y, data["i"]
result = [box.x, box.i, box.w, hasattr(box, "y"), data, a, b, c, d, (n := 5) + n]
