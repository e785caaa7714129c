"""Programs and digests."""

from sandbox.process.frames import BLOB, encode
from sandbox.process.program import MAIN, Module, Program, helper_path, module_digest, program_digest


def module(name: str, text: bytes, *imports: str) -> Module:
    return Module(module_digest(name, text), {"imports": list(imports)}, ({"rule": text.decode()},), text)


def test_a_digest_says_what_and_not_where() -> None:
    assert module_digest(MAIN, b"return 1") == module_digest(MAIN, b"return 1")
    assert module_digest(MAIN, b"return 1") != module_digest(MAIN, b"return 2")


def test_a_helper_has_a_digest_of_its_own_since_its_errors_name_it() -> None:
    assert len({module_digest(name, b"x = 1") for name in (MAIN, "lib.a", "lib.b")}) == 3


def test_a_closure_is_named_by_all_its_texts_in_any_order() -> None:
    first, second = (MAIN, "aa"), ("lib.a", "bb")
    assert program_digest([first, second]) == program_digest([second, first])
    assert program_digest([first, second]) != program_digest([first, ("lib.a", "cc")])
    assert program_digest([first]) == "aa"


def test_a_program_knows_which_of_its_imports_it_lacks() -> None:
    modules = {MAIN: module(MAIN, b"main", "lib.a", "lib.c"), "lib.a": module("lib.a", b"a", "lib.b")}
    program = Program("digest", modules)
    assert program.imports == ("lib.a", "lib.b", "lib.c")
    assert program.missing == ("lib.b", "lib.c")
    assert program.outline == {"imports": ["lib.a", "lib.c"]}
    assert program.warnings == ({"rule": "main"}, {"rule": "a"})
    assert program.blobs == encode(BLOB, b"main") + encode(BLOB, b"a")


def test_a_helper_lies_where_its_name_says() -> None:
    assert helper_path("lib.shapes.area") == "lib/shapes/area.py"
