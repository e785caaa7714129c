"""Copies."""

import copy, collections
class Node:
    def __init__(self, value): self.value = value; self.next = None; self.tags = ["a"]
class Slotted:
    __slots__ = ("a", "b")
    def __init__(self): self.a = [1]
class Named(dict): pass
a, b = Node(1), Node(2)
a.next, b.next = b, a
shallow, deep = copy.copy(a), copy.deepcopy(a)
named = Named(x=[1]); named.extra = [2]
twin = copy.deepcopy(named)
slotted = copy.deepcopy(Slotted())
ring = [1]; ring.append(ring); ring2 = copy.deepcopy(ring)
d = collections.defaultdict(list, {"k": [1]}); d2 = copy.deepcopy(d); d2["n"].append(1)
result = [shallow.tags is a.tags, deep.tags is a.tags, deep.next.next is deep, twin, twin.extra, twin.extra is named.extra,
          slotted.a, hasattr(slotted, "b"), ring2[1] is ring2, d2["n"], "n" in d, copy.copy({1: 2}), copy.deepcopy((1, [2]))]
