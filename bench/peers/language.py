"""Run programs in the language that the first argument names: lines of JSON with a text in, with its times out."""

import ast
import copy
import json
import operator
import os
import sys
import time

TIMED = """
import time
def timed(turns):
    times = []
    for _ in range(turns):
        started = time.perf_counter()
        value = main()
        times.append(time.perf_counter() - started)
    return [value, times]
"""


def cpython(text, turns):
    names = {"__name__": "program"}
    exec(compile(text + TIMED, "program", "exec"), names)
    return names["timed"](turns)


class WrittenOut(ast.NodeTransformer):
    """Write out what RestrictedPython refuses for its form alone: annotations, augmented assignment to parts."""

    def visit_AnnAssign(self, node):
        return ast.Assign([node.target], node.value) if node.value else ast.Pass()

    def visit_AugAssign(self, node):
        if isinstance(node.target, ast.Name):
            return node
        read = copy.deepcopy(node.target)
        read.ctx = ast.Load()
        return ast.Assign([node.target], ast.BinOp(read, node.op, node.value))

    def visit_FunctionDef(self, node):
        node.returns = None
        for argument in node.args.args:
            argument.annotation = None
        return self.generic_visit(node)

    def visit_ImportFrom(self, _node):
        return None  # names for annotations only


def restricted(text, turns):
    from RestrictedPython import compile_restricted, limited_builtins, safe_builtins, utility_builtins
    from RestrictedPython.Eval import default_guarded_getitem, default_guarded_getiter
    from RestrictedPython.Guards import guarded_iter_unpack_sequence, guarded_unpack_sequence, safer_getattr

    in_place = {
        "+=": operator.iadd,
        "-=": operator.isub,
        "*=": operator.imul,
        "//=": operator.ifloordiv,
        "^=": operator.ixor,
    }
    usual = (dict, list, set, enumerate, filter, map, max, min, sum, any, all, iter, next, reversed, sorted, range)
    usual += (super, zip)
    builtins = {**safe_builtins, **limited_builtins, **utility_builtins, **{one.__name__: one for one in usual}}
    builtins["__import__"] = lambda name, *_: {"json": json}[name]
    names = {
        "__builtins__": builtins,
        "__name__": "program",
        "__metaclass__": type,
        "_getattr_": safer_getattr,
        "_getitem_": default_guarded_getitem,
        "_getiter_": default_guarded_getiter,
        "_write_": lambda target: target,  # the guard that comes with it refuses instances of a script's own classes
        "_inplacevar_": lambda sign, x, y: in_place[sign](x, y),
        "_iter_unpack_sequence_": guarded_iter_unpack_sequence,
        "_unpack_sequence_": guarded_unpack_sequence,
    }
    tree = ast.fix_missing_locations(WrittenOut().visit(ast.parse(text)))
    exec(compile_restricted(tree, "program", "exec"), names)
    times = []
    for _ in range(turns):
        started = time.perf_counter()
        value = names["main"]()
        times.append(time.perf_counter() - started)
    return [value, times]


def smolagents(text, turns):
    from smolagents.local_python_executor import LocalPythonExecutor

    executor = LocalPythonExecutor(["json", "collections.abc", "__future__"], timeout_seconds=None)
    executor.send_tools({})
    executor(text)
    times = []
    for _ in range(turns):
        started = time.perf_counter()
        value = executor("main()").output
        times.append(time.perf_counter() - started)
    return [value, times]


def monty(text, turns):
    from pydantic_monty import Monty

    times = []
    with Monty() as pool, pool.checkout() as session:
        session.feed_run(text)
        for _ in range(turns):
            started = time.perf_counter()
            value = session.feed_run("main()")
            times.append(time.perf_counter() - started)
    return [value, times]


def answered(run, asked):
    try:
        value, times = run(asked["text"], asked["turns"])
        return {"value": value, "times": times}
    except BaseException as error:
        return {"error": f"{type(error).__name__}: {error}"[:2000]}


def main():
    run = {"cpython": cpython, "restricted": restricted, "smolagents": smolagents, "monty": monty}[sys.argv[1]]
    for line in sys.stdin:
        # In a process of its own, as a script has one: nothing that an earlier program warmed is there.
        child = os.fork()
        if child == 0:
            os.write(1, json.dumps(answered(run, json.loads(line))).encode() + b"\n")
            os._exit(0)
        os.waitpid(child, 0)


main()
