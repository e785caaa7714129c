"""Paths of reads: what each spelling means, what is refused and how that is told."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scriptool.objects.readpath import Item, Member, ReadError, ReadPath, Root, fill, inputs_of, parse, sample

GOOD: dict[str, ReadPath] = {
    "@type:pkg.mod.Class/size": ReadPath(Root("type", "pkg.mod.Class"), (Member("size"),)),
    "@type:Class": ReadPath(Root("type", "Class"), ()),
    "@scene": ReadPath(Root("scene"), ()),
    "@scene:/": ReadPath(Root("scene"), ()),
    "@scene:/Canvas/Button[1]": ReadPath(Root("scene"), (Member("Canvas"), Member("Button"), Item(1))),
    "@scene:/Main Camera/fov": ReadPath(Root("scene"), (Member("Main Camera"), Member("fov"))),
    "@id:42/name": ReadPath(Root("id", "42"), (Member("name"),)),
    "@id:a-b:c.d[0]": ReadPath(Root("id", "a-b:c.d"), (Item(0),)),
    '@id:"a/b[\\"c"/name': ReadPath(Root("id", 'a/b["c'), (Member("name"),)),
    "@selection": ReadPath(Root("selection"), ()),
    "@selection[-1]/name": ReadPath(Root("selection"), (Item(-1), Member("name"))),
    "@sceneview:camera/position[2]": ReadPath(Root("sceneview", "camera"), (Member("position"), Item(2))),
    "@server/cache/hits": ReadPath(Root("named", "server"), (Member("cache"), Member("hits"))),
    'Camera/main["a \\"key\\" /[]"]': ReadPath(Root("bare", "Camera"), (Member("main"), Item('a "key" /[]'))),
    'world["_x"][0][1]': ReadPath(Root("bare", "world"), (Item("_x"), Item(0), Item(1))),
    "größe/länge": ReadPath(Root("bare", "größe"), (Member("länge"),)),
}

ROOTS = "Begin with @type:package.Class, @scene:/Node, @id:ID, @selection, @sceneview:VIEW, @root or a type's name."
PRIVATE = "Names that begin with _ are never read."
ITEMS = 'Items are [0] or ["key"], the key in double quotes; members are /name.'

BAD: dict[str, tuple[str, str]] = {
    "": ("the path has no root", ROOTS),
    "/name": ("the path has no root", ROOTS),
    "[0]": ("the path has no root", ROOTS),
    "@": ("'' is not the name of a root", ROOTS),
    "@1x": ("'1x' is not the name of a root", ROOTS),
    "two words": ("'two words' is not the name of a root", ROOTS),
    "a..b": ("'a..b' is not the name of a root", ROOTS),
    "@type": ("@type needs a name behind a colon", "Write it as @type:package.module.Class."),
    "@type:a b": ("'a b' is not the name of a root", ROOTS),
    "@id:": ("@id needs a name behind a colon", "Write it as @id:ID."),
    '@id:"\\x"': ('"\\x" is not a JSON string', 'Use double quotes, and \\" for one inside.'),
    '@id:"a"b': ("'b' stands behind a quoted name", 'Write it as @id:"name"/member.'),
    "@sceneview/x": ("@sceneview needs a name behind a colon", "Write it as @sceneview:camera."),
    "@scene:Canvas": ("a path into the scene starts at its top, not at 'Canvas'", "Write @scene:/Canvas."),
    "@selection:x": ("@selection takes no name behind a colon", "Write @selection, then /member or [0]."),
    "@server:x": ("@server takes no name behind a colon", "Write @server, then /member or [0]."),
    "a/": ("a member's name is missing behind a /", "Take the / out, or name a member behind it."),
    "a//b": ("a member's name is missing behind a /", "Take the / out, or name a member behind it."),
    "a/_b": ("'_b' is private", PRIVATE),
    "a/__class__": ("'__class__' is private", PRIVATE),
    "@scene:/A/_b": ("'_b' is private", PRIVATE),
    "a/b()": ("'b()' is a call", "A probe only reads; to call something write a script."),
    "a/b.c": ("'b.c' is not a member's name", "Members are separated by /: b/c."),
    "a/b-c": ("'b-c' is not a member's name", 'A key of a mapping goes in brackets: ["b-c"].'),
    "a[x]": ("'[x]' is neither an item nor a member", ITEMS),
    "a['x']": ("\"['x']\" is neither an item nor a member", ITEMS),
    "a[0": ("'[0' is neither an item nor a member", ITEMS),
    "a[0]b": ("'b' is neither an item nor a member", ITEMS),
    "a]": ("'a]' is not the name of a root", ROOTS),
    'a["\\x"]': ('"\\x" is not a JSON string', 'Use double quotes, and \\" for one inside.'),
}


@pytest.mark.parametrize("text", GOOD)
def test_a_path_means_what_it_says(text: str) -> None:
    assert parse(text) == GOOD[text]


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_path_is_told_with_the_way_to_mend_it(text: str) -> None:
    with pytest.raises(ReadError) as caught:
        parse(text)
    message, hint = BAD[text]
    assert caught.value.to_json() == {"code": "bad_path", "message": message, "hint": hint}


@given(st.text(alphabet='@/[]".:_\\0a{}() ', max_size=30) | st.text(max_size=30))
def test_any_text_is_a_path_or_a_bad_one(text: str) -> None:
    try:
        path = parse(text)
    except ReadError as error:
        assert (error.code, bool(error.message), bool(error.hint)) == ("bad_path", True, True)
    else:
        assert not any(isinstance(step, Member) and step.name.startswith("_") for step in path.steps)


FILLED: list[tuple[str, dict[str, Any], str]] = [
    ("@id:{node}/name", {"node": "a7"}, "@id:a7/name"),
    ("@id:{node}/{member}", {"node": 7, "member": "size"}, "@id:7/size"),
    ("a[{n}]", {"n": 3}, "a[3]"),
    ('a["{key}"]', {"key": 'say "x"\\'}, 'a["say \\"x\\"\\\\"]'),
    ("a/{x}", {"x": "{y}", "y": "secret"}, "a/{y}"),
    ('@id:"{key}"/x', {"key": 'a/b"'}, '@id:"a/b\\""/x'),
    ("@type:{t}", {"t": "package.Class"}, "@type:package.Class"),
    ("a/{flag}", {"flag": True}, "a/true"),
    ("a{b", {}, "a{b"),
]


@pytest.mark.parametrize(("text", "inputs", "expected"), FILLED)
def test_inputs_stand_in_the_path_as_text_put_there_once(text: str, inputs: dict[str, Any], expected: str) -> None:
    assert fill(text, inputs) == expected


@pytest.mark.parametrize("inputs", [{}, {"node": None}])
def test_an_input_that_was_not_given_makes_a_bad_path(inputs: dict[str, Any]) -> None:
    with pytest.raises(ReadError) as caught:
        fill("@id:{node}", inputs)
    expected = {"code": "bad_path", "message": "the input 'node' was not given", "hint": "Call it with node."}
    assert caught.value.to_json() == expected


@pytest.mark.parametrize("value", ["name/more", "name[0]", '"name"', ["list"]])
def test_an_input_leads_no_further_than_the_name_it_stands_for(value: Any) -> None:
    with pytest.raises(ReadError) as caught:
        fill("@app/{member}", {"member": value})
    assert caught.value.to_json() == {
        "code": "bad_path",
        "message": "the input 'member' fills one name of the path",
        "hint": "Pass a name without slash, bracket and quote.",
    }


@pytest.mark.parametrize("text", ["@id:{a}/{b}", "a[{n}]/x", 'a["{k}"]', "@type:{t}", "{root}/x", "@{root}/x"])
def test_a_path_with_inputs_can_be_judged_before_they_are_known(text: str) -> None:
    parse(sample(text))


def test_the_inputs_of_a_path_are_known_in_order() -> None:
    assert inputs_of('@id:{node}/x["{key} {node}"]') == ["node", "key", "node"]


def test_a_host_needs_nothing_but_the_standard_library() -> None:
    """What it takes to answer from another process can be imported where nothing is installed."""
    code = (
        "import sys; import scriptool.host;"
        "print(sorted({name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names) - {'__main__'}))"
    )
    root = Path(__file__).parents[2]
    command = [sys.executable, "-S", "-c", f"import sys; sys.path.insert(0, {str(root)!r}); {code}"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    assert run.stdout.strip() == "['scriptool']"
